/** What the operating system thinks of the line: a hint to try earlier, never proof of anything. */
export interface NetworkPort {
  /** Calls back when the system reports that the line came back; returns the function that stops it. */
  onBack(listener: () => void): () => void
}
