import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** Parameters of scrypt for new hashes. An old hash keeps the parameters that created it. */
export interface PasswordCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** The check of one password takes 32 MB of memory and about 80 ms. */
export const usualCost: PasswordCost = { N: 2 ** 15, r: 8, p: 1 }
const saltBytes = 16
const keyBytes = 32

/** Returns the hash of a password in the format `scrypt$N$r$p$salt$key`, with salt and key in base64. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const salt = randomBytes(saltBytes)
  const key = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), key.toString('base64')].join('$')
}

/**
 * Whether the password matches the hash. Without a hash (unknown user) the function does the same work and returns
 * false, so that the duration does not reveal which users exist.
 */
export async function verifyPassword(
  password: string,
  hash: string | null,
  cost: PasswordCost,
): Promise<boolean> {
  const stored = hash === null ? null : parseHash(hash)
  if (stored === null) {
    await derive(password, Buffer.alloc(saltBytes), cost)
    return false
  }
  return timingSafeEqual(await derive(password, stored.salt, stored.cost), stored.key)
}

function parseHash(hash: string): { cost: PasswordCost; salt: Buffer; key: Buffer } | null {
  const [scheme, N, r, p, salt, key] = hash.split('$')
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return null
  const bytes = Buffer.from(key, 'base64')
  if (bytes.length !== keyBytes) return null
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    key: bytes,
  }
}

function derive(password: string, salt: Buffer, { N, r, p }: PasswordCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // scrypt needs 128 * N * r bytes, and fails for more than 32 MB unless maxmem is set
    scrypt(password.normalize('NFC'), salt, keyBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}
