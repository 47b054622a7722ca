/** The operating system's view of the connection: a hint to try earlier, never a proof. */
export interface NetworkPort {
  /** Calls the listener when the system reports that the connection is back; returns a function that stops it. */
  onBack(listener: () => void): () => void
}
