/** Storage of secrets between two starts. The desk chooses the keys; values never appear in a log. */
export interface SecretsPort {
  /** Whether this machine can encrypt secrets. If false, `write` is allowed to ignore the value. */
  canProtect(): Promise<boolean>
  read(key: string): Promise<string | null>
  /**
   * Stores a value; the value is durable when the promise resolves. If the space for secrets is full, does not store
   * the value, and removes the earlier value of this key.
   */
  write(key: string, value: string): Promise<void>
  remove(key: string): Promise<void>
}
