import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { StorePort } from '#desk/ports/store.ts'

/** Names the command on whose behalf a call is made; the service takes no notice of it. */
export const flightHeader = 'x-scandesk-flight'

const flight = new AsyncLocalStorage<string | null>()

/**
 * Marks each HTTP call that the outbox makes for a command with that command's id, so that the proxy can tell the look
 * of one write from the look of another that is under way at the same time. The outbox starts its work on a command
 * while it goes through a list of its store: what starts there, and all that follows from it, runs in that command's
 * context.
 */
export function markFlights(store: StorePort): StorePort {
  markRequests()
  const { outbox } = store
  return {
    ...store,
    outbox: {
      ...outbox,
      due: (limit) => FlightList.from(outbox.due(limit)),
      unknown: () => FlightList.from(outbox.unknown()),
      // looks for late arrivals and for other desks start behind some write, and are about all of them
      endedAmbiguously(since) {
        flight.enterWith(null)
        return outbox.endedAmbiguously(since)
      },
      toLookAround() {
        flight.enterWith(null)
        return outbox.toLookAround()
      },
    },
  }
}

class FlightList extends Array<CommandRow> {
  override *[Symbol.iterator](): ArrayIterator<CommandRow> {
    for (const command of this.values()) {
      flight.enterWith(command.id)
      yield command
    }
    flight.enterWith(null)
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
