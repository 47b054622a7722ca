/** The state of the network as the operating system reports it. The desk uses it only to try the service earlier. */
export interface NetworkPort {
  /** Calls the listener when the system reports that the connection is back; returns a function that stops it. */
  onBack(listener: () => void): () => void
}
