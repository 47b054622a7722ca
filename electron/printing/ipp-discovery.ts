import { printersWords } from './driver-result.ts'
import { ippAddress, ippSession, type IppTimeouts, operations } from './ipp-client.ts'
import { groupsOf, groupTags, numberOf, textOf, words } from './ipp-message.ts'

/** A queue that a print server offers, for the operator to choose. */
interface IppQueue {
  readonly name: string
  /** The address of the queue, to be entered for a printer of kind `ipp`. */
  readonly uri: string
  readonly makeAndModel: string
  readonly state: 'idle' | 'processing' | 'stopped' | 'unknown'
}

/** The address of the print service of this computer, if it has one. */
const thisComputer = 'ipp://localhost/'
const standardTimeouts: IppTimeouts = {
  connectMs: 2_000,
  stallMs: 5_000,
  sendMs: 5_000,
  answerMs: 5_000,
}
const states: Partial<Record<number, IppQueue['state']>> = { 3: 'idle', 4: 'processing', 5: 'stopped' }
const mostQueues = 200
/** Maximum length of an address, in characters: the limit of RFC 8011 and of the settings of a printer. */
const longestUri = 1_023

/**
 * Returns at most `mostQueues` queues of a CUPS server (CUPS-Get-Printers), sorted by name; null if the server does not
 * respond or refuses the query. The addresses contain the host that was queried, even if the server uses another name
 * for itself.
 */
export async function discoverIpp(
  server: string = thisComputer,
  timeouts: IppTimeouts = standardTimeouts,
): Promise<IppQueue[] | null> {
  const address = ippAddress(server)
  if (!address) return null
  const answer = await ippSession(address, timeouts).ask({
    operation: operations.cupsGetPrinters,
    attributes: [
      words(
        'keyword',
        'requested-attributes',
        ...['printer-name', 'printer-uri-supported', 'printer-make-and-model', 'printer-state'],
      ),
    ],
  })
  // a server without queues responds with the status `no_queue`, so the result is an empty list
  if (answer.kind === 'declined' && answer.cause === 'no_queue') return []
  if (answer.kind !== 'done') return null
  const found = groupsOf(answer.message, groupTags.printer).flatMap((printer): IppQueue[] => {
    const name = textOf(printer, 'printer-name')
    const own = ippAddress(textOf(printer, 'printer-uri-supported') ?? '')
    if (name === null || !own) return []
    const queried = new URL(address.uri)
    const { href: uri, host } = new URL(own.path, queried)
    // a path that begins with `//` would name another host
    if (uri.length > longestUri || host !== queried.host) return []
    return [
      {
        name: printersWords(name),
        uri,
        makeAndModel: printersWords(textOf(printer, 'printer-make-and-model') ?? ''),
        state: states[numberOf(printer, 'printer-state') ?? 0] ?? 'unknown',
      },
    ]
  })
  return found.toSorted((one, other) => one.name.localeCompare(other.name)).slice(0, mostQueues)
}
