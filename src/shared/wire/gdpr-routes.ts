import { z } from 'zod'

/** The longest possible email address has 320 characters. */
const person = z.object({ email: z.email().max(320) })
const promise = z.object({ message: z.string() })

/**
 * Not in the contract; the service's clients call them (API.md 14). The service carries them out after the response.
 */
export const gdprRoutes = {
  requestPersonData: {
    summary: 'Ask for the data of a person',
    method: 'POST',
    path: '/wms/gdpr/request-person-data/',
    body: person,
    status: 200,
    response: promise,
    role: 'GDPR',
  },
  redactPersonData: {
    summary: 'Redact the data of a person',
    method: 'POST',
    path: '/wms/gdpr/redact-person-data/',
    body: person,
    status: 200,
    response: promise,
    role: 'GDPR',
  },
} as const
