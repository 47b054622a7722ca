/** Where a secret rests between two starts. Keys are ours; values never appear in a log. */
export interface SecretsPort {
  /** False where this machine has no real protection; then `write` need not keep anything. */
  canProtect(): Promise<boolean>
  read(key: string): Promise<string | null>
  /** Durable when it resolves. */
  write(key: string, value: string): Promise<void>
  remove(key: string): Promise<void>
}
