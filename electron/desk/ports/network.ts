/** The operating system's view of the line: a hint to try earlier, never a proof. */
export interface NetworkPort {
  /** Calls the listener when the system reports that the line is back; returns a function that stops it. */
  onBack(listener: () => void): () => void
}
