/** Storage of secrets between two starts. The desk chooses the keys; values never appear in a log. */
export interface SecretsPort {
  /** Whether this machine has real protection. If false, `write` may ignore the value. */
  canProtect(): Promise<boolean>
  read(key: string): Promise<string | null>
  /** Stores a value. Durable when it resolves. A value that exceeds the space for secrets is removed instead. */
  write(key: string, value: string): Promise<void>
  remove(key: string): Promise<void>
}
