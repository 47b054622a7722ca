import { z } from 'zod'

/** Body of POST /wms/auth/login/ (API.md 1.2). */
export const loginRequest = z.object({ username: z.string().min(1), password: z.string().min(1) })
export type LoginRequest = z.infer<typeof loginRequest>

/** Body of POST /wms/auth/refresh/. A call that is not refused consumes the token, even if its response is lost. */
export const refreshRequest = z.object({ refresh_token: z.string().min(1) })

/**
 * Maximum number of characters of an access token. A token of a user with all roles has about 3,000, and servers refuse
 * calls with headers of more than 16 kB.
 */
const longestAccessToken = 16_000

/**
 * Response of login and refresh. `iat` and `exp` are in seconds since 1970. `token` contains only characters that are
 * allowed in a header, because each call sends it in one.
 */
export const tokens = z.object({
  token: z
    .string()
    .max(longestAccessToken)
    .regex(/^[!-~]+$/),
  iat: z.number().int(),
  exp: z.number().int(),
  refresh_token: z.string().min(1),
})
export type Tokens = z.infer<typeof tokens>

/**
 * Maximum number of roles of a user, and maximum lengths of a role and a username in characters. The service has about
 * fifty roles, each with about forty characters. Further roles are left out, because every role is stored and shown.
 */
const mostRoles = 200
const longestRole = 100
const longestUsername = 200

/** Claims inside the access token that a client may rely on. */
export const accessClaims = z.object({
  iat: z.number().int(),
  exp: z.number().int(),
  roles: z
    .array(z.string())
    .transform((roles) => roles.filter((role) => role.length <= longestRole).slice(0, mostRoles)),
  username: z.string().transform((username) => username.slice(0, longestUsername)),
  user_id: z.string(),
  user_type: z.enum(['api', 'employee', 'warehouse']),
  customer_ids: z.array(z.string()),
})
export type AccessClaims = z.infer<typeof accessClaims>
