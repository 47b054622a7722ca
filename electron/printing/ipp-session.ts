import { callIpp, type IppAddress, type IppTimeouts } from './ipp-client.ts'
import {
  groupsOf,
  groupTags,
  type IppAttribute,
  type IppAttributes,
  type IppGroup,
  type IppMessage,
  words,
} from './ipp-message.ts'

/** RFC 8011, 5.4.15; from 0x4000 on those of CUPS. */
export const operations = {
  printJob: 0x02,
  createJob: 0x05,
  sendDocument: 0x06,
  cancelJob: 0x08,
  getJobAttributes: 0x09,
  getJobs: 0x0a,
  getPrinterAttributes: 0x0b,
  cupsGetPrinters: 0x4002,
} as const

export interface IppQuestion {
  readonly operation: number
  /** Beyond those that every question has. */
  readonly attributes?: readonly IppAttribute[]
  readonly jobAttributes?: readonly IppAttribute[]
  readonly document?: Uint8Array
}

/** What became of a question: done, refused by the other side with a reason, or failed on its way. */
export type IppAnswer =
  | { readonly kind: 'done'; readonly message: IppMessage }
  | { readonly kind: 'declined'; readonly status: number; readonly cause: string }
  | { readonly kind: 'failed'; readonly cause: string; readonly documentLeft: boolean }

/** Puts questions to one printer or queue, in our name. */
export interface IppSession {
  ask(question: IppQuestion): Promise<IppAnswer>
}

/** Jobs of one name can be found again and cancelled by it; anybody else's are not ours to touch. */
const userName = 'scandesk'
const firstError = 0x0400

export function ippSession(address: IppAddress, timeouts: IppTimeouts): IppSession {
  let lastId = 0
  return {
    async ask({ operation, attributes = [], jobAttributes = [], document }) {
      const groups: IppGroup[] = [
        {
          tag: groupTags.operation,
          attributes: [
            // these three come first, in this order (RFC 8011, 4.1.4)
            words('charset', 'attributes-charset', 'utf-8'),
            words('language', 'attributes-natural-language', 'en'),
            words('uri', 'printer-uri', address.uri),
            words('name', 'requesting-user-name', userName),
            ...attributes,
          ],
        },
      ]
      if (jobAttributes.length > 0) groups.push({ tag: groupTags.job, attributes: jobAttributes })
      const message = { code: operation, id: ++lastId, groups }
      const reply = await callIpp(address, message, timeouts, document)
      if (reply.kind === 'failed') return reply
      const status = reply.message.code
      if (status < firstError) return { kind: 'done', message: reply.message }
      return { kind: 'declined', status, cause: statusCauses[status] ?? `ipp_${status.toString(16)}` }
    },
  }
}

/** Why the other side would not, in our words (RFC 8011, appendix B). */
const statusCauses: Partial<Record<number, string>> = {
  0x0401: 'not_allowed',
  0x0402: 'not_allowed',
  0x0403: 'not_allowed',
  0x0406: 'no_queue',
  0x040a: 'format_unsupported',
  0x0503: 'busy',
  0x0504: 'error',
  0x0505: 'busy',
  0x0506: 'not_accepting',
  0x0507: 'busy',
}

/**
 * Statuses that say of a document that it was not taken: who sends one of these has printed nothing of it. Others may
 * come in the middle of the work.
 */
export const notTaken: ReadonlySet<number> = new Set([
  ...[0x0400, 0x0401, 0x0402, 0x0403, 0x0404, 0x0406, 0x0408, 0x040a, 0x040b, 0x040d],
  ...[0x0501, 0x0503, 0x0505, 0x0506, 0x0507],
])

/** The attributes of the only printer or job that an answer is about. */
export function onlyGroup(answer: IppAnswer, tag: number): IppAttributes | undefined {
  return answer.kind === 'done' ? groupsOf(answer.message, tag)[0] : undefined
}
