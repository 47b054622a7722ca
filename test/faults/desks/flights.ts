import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { StorePort } from '#desk/ports/store.ts'

/** HTTP header with the id of the command to which a call belongs. The service ignores the header. */
export const flightHeader = 'x-scandesk-flight'

const flight = new AsyncLocalStorage<string | null>()

/**
 * Adds the id of its command to each HTTP call of the outbox, so that the proxy can distinguish the calls of
 * simultaneous writes. The outbox starts its work on a command while it iterates over a list of commands from its
 * store. The iteration stores the id of the command in the asynchronous context of this work and of all calls that
 * follow from it.
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
