import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import type { StorePort } from '#desk/ports/store.ts'

/** HTTP header with the id of the command to which a call belongs. The service ignores the header. */
export const flightHeader = 'x-scandesk-flight'

const flight = new AsyncLocalStorage<string | null>()

/**
 * Adds the id of its command to each HTTP call of the outbox, so that the proxy can distinguish the calls of
 * simultaneous writes. The outbox reads a command from its store directly before each attempt and each look. This read
 * stores the id of the command in the asynchronous context of the attempt and of all calls that follow from it.
 */
export function markFlights(store: StorePort): StorePort {
  markRequests()
  const { outbox } = store
  return {
    ...store,
    outbox: {
      ...outbox,
      get(id) {
        flight.enterWith(id)
        return outbox.get(id)
      },
      // The outbox also looks for late arrivals of writes and for records of other desks. These looks concern all
      // writes, so their calls get no id of a command.
      toWatch(now, latest) {
        flight.enterWith(null)
        return outbox.toWatch(now, latest)
      },
      toLookAround(now, latest) {
        flight.enterWith(null)
        return outbox.toLookAround(now, latest)
      },
    },
  }
}

type Request = (
  url: URL,
  options: Omit<http.RequestOptions, 'headers'> & { readonly headers: Readonly<Record<string, string>> },
) => http.ClientRequest

function markRequests(): void {
  const request = http.request.bind(http) as Request
  const marked: Request = (url, options) => {
    const commandId = flight.getStore() ?? null
    if (commandId === null) return request(url, options)
    return request(url, { ...options, headers: { ...options.headers, [flightHeader]: commandId } })
  }
  Object.assign(http, { request: marked })
}
