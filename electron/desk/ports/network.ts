/** The state of the network that the operating system reports. The desk uses it only to try the service earlier. */
export interface NetworkPort {
  /**
   * Calls the listener when the system reports that the connection is back. The returned function removes the listener.
   */
  onBack(listener: () => void): () => void
}
