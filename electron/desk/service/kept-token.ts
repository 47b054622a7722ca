import type { SecretsPort } from '../ports/secrets.ts'

/**
 * The refresh token in the machine's secrets. Writes go one after another and each writes what is wanted by then, so
 * that a slow one never overwrites a later login, and a logout has the last word. A keyring that fails costs the next
 * start's login, never this one.
 */
export class KeptToken {
  readonly #secrets: SecretsPort
  readonly #key: string
  readonly #onFault: (error: unknown) => void
  #wanted: string | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(secrets: SecretsPort, key: string, onFault: (error: unknown) => void) {
    this.#secrets = secrets
    this.#key = key
    this.#onFault = onFault
  }

  /** Whether this machine can protect a token at all. */
  async canKeep(): Promise<boolean> {
    try {
      return await this.#secrets.canProtect()
    } catch (error) {
      this.#onFault(error)
      return false
    }
  }

  async read(): Promise<string | null> {
    try {
      return await this.#secrets.read(this.#key)
    } catch (error) {
      this.#onFault(error)
      return null
    }
  }

  /** Resolves once the token, or one wanted since, is stored; null removes it. */
  store(token: string | null): Promise<void> {
    this.#wanted = token
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#onFault)
    return this.#writing
  }

  #write(): Promise<void> {
    return this.#wanted === null
      ? this.#secrets.remove(this.#key)
      : this.#secrets.write(this.#key, this.#wanted)
  }
}
