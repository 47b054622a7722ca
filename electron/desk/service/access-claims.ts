import { type AccessClaims, accessClaims } from '#shared/wire/auth.ts'

/** What the access token says about its bearer. Decoded, not verified: the service decides, the desk only shows. */
export function readAccessClaims(token: string): AccessClaims | null {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
    const parsed = accessClaims.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
