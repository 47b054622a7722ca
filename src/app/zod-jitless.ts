import { z } from 'zod'

// zod compiles schemas with `new Function`, which the content security policy forbids, so this must run before any
// schema is used
z.config({ jitless: true })
