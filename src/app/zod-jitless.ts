import { z } from 'zod'

// zod would compile schemas with `new Function`, which the content security policy forbids. Import this file before any
// schema is used.
z.config({ jitless: true })
