/** The first argument of Electron's events. */
export interface PreventableEvent {
  defaultPrevented: boolean
  preventDefault(): void
}

/** Creates an event with `details`, as Electron's events have. */
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
