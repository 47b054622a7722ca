/**
 * The reports of the operating system about the network. The desk uses them for one purpose: after a report it tries
 * the service at once, without waiting for the end of a pause. `composeDesk` closes the idle connections before that.
 */
export interface NetworkPort {
  /**
   * Calls the listener when the system reports that the connection is back. The returned function removes the listener.
   */
  onBack(listener: () => void): () => void
}
