import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { StorePort } from '#desk/ports/store.ts'

/** HTTP header with the id of the command to which a call belongs. The service ignores the header. */
export const flightHeader = 'x-scandesk-flight'

const flight = new AsyncLocalStorage<string | null>()

/**
 * Marks each HTTP call of the outbox with the id of its command, so that the proxy can distinguish the looks of
 * simultaneous writes. The outbox starts its work on a command while it iterates over a list of its store. The
 * iteration sets the command as the asynchronous context, in which this work and all calls that follow from it run.
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
      // Searches for late arrivals and for records of other desks start after some write, but concern all writes.
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

class FlightList<Command extends Pick<CommandRow, 'id'>> extends Array<Command> {
  override *[Symbol.iterator](): ArrayIterator<Command> {
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
