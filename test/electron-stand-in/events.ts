/** The first argument that a listener of an Electron event receives. */
export interface PreventableEvent {
  defaultPrevented: boolean
  preventDefault(): void
}

/** Creates an event object with the fields of `details`, as Electron's events have. */
export function createEvent<T extends object>(details: T): PreventableEvent & T {
  const event = {
    ...details,
    defaultPrevented: false,
    preventDefault(): void {
      event.defaultPrevented = true
    },
  }
  return event
}
