import type { Course } from './course.ts'
import { type FollowTimeouts, followJob } from './ipp-follow.ts'
import type { IppCondition } from './ipp-condition.ts'
import type { IppDocument } from './ipp-document.ts'
import type { ChosenMedia } from './ipp-media.ts'
import {
  attribute,
  groupsOf,
  groupTags,
  type IppAttribute,
  numberOf,
  numbersOf,
  textsOf,
  whole,
  words,
} from './ipp-message.ts'
import { type IppAnswer, type IppSession, notTaken, onlyGroup, operations } from './ipp-session.ts'

export interface IppJobTerms {
  /** By which it can be found again. */
  readonly name: string
  readonly media: ChosenMedia
  readonly document: IppDocument
  readonly dpi: number
  readonly printer: IppCondition
  readonly timeouts: FollowTimeouts
}

/**
 * Prints a document as one job and follows it. The job is made before the document leaves, so that its number is known
 * whatever happens then; a printer that cannot do that gets both at once. Never sends the document twice.
 */
export async function printJob(session: IppSession, terms: IppJobTerms): Promise<Course> {
  const can = numbersOf(terms.printer.attributes, 'operations-supported')
  const inTwo = [operations.createJob, operations.sendDocument].every((operation) => can.includes(operation))
  return inTwo ? inTwoSteps(session, terms) : inOneStep(session, terms)
}

async function inTwoSteps(session: IppSession, terms: IppJobTerms): Promise<Course> {
  const created = await session.ask({
    operation: operations.createJob,
    attributes: nameOf(terms),
    jobAttributes: jobAttributes(terms),
  })
  // a job without a document prints nothing, and the printer drops it by itself
  if (created.kind !== 'done') return { kind: 'refused', cause: created.cause }
  const id = jobId(created)
  if (id === null) return { kind: 'refused', cause: 'not_ipp' }
  if (tookOtherMedia(created)) {
    await cancel(session, id)
    return { kind: 'refused', cause: 'media_unsupported' }
  }
  const sent = await session.ask({
    operation: operations.sendDocument,
    attributes: [
      whole('job-id', id),
      words('mimeType', 'document-format', terms.document.format),
      attribute('last-document', { type: 'boolean', value: true }),
    ],
    document: terms.document.bytes,
  })
  return afterSending(session, terms, id, sent)
}

async function inOneStep(session: IppSession, terms: IppJobTerms): Promise<Course> {
  const sent = await session.ask({
    operation: operations.printJob,
    attributes: [...nameOf(terms), words('mimeType', 'document-format', terms.document.format)],
    jobAttributes: jobAttributes(terms),
    document: terms.document.bytes,
  })
  return afterSending(session, terms, jobId(sent), sent)
}

async function afterSending(
  session: IppSession,
  { name, document, printer, timeouts }: IppJobTerms,
  id: number | null,
  sent: IppAnswer,
): Promise<Course> {
  const followed = { id: id ?? 0, name, pages: document.pages, isQueue: printer.isQueue }
  if (sent.kind === 'done')
    return id === null
      ? { kind: 'unconfirmed', cause: 'not_ipp' }
      : followJob(session, { ...followed, doubt: null }, timeouts)
  const { cause } = sent
  const wasTaken = sent.kind === 'failed' ? sent.documentLeft : !notTaken.has(sent.status)
  // what is left of it must not print when nobody expects it
  const isCut = cause !== 'silent'
  if (id !== null && isCut) await cancel(session, id)
  if (!wasTaken) return { kind: 'refused', cause }
  if (id === null) return { kind: 'unconfirmed', cause }
  return followJob(session, { ...followed, doubt: cause }, timeouts)
}

/** Best effort: what it changes is seen afterwards. */
async function cancel(session: IppSession, id: number): Promise<void> {
  await session.ask({ operation: operations.cancelJob, attributes: [whole('job-id', id)] })
}

function jobId(answer: IppAnswer): number | null {
  return numberOf(onlyGroup(answer, groupTags.job), 'job-id')
}

/** Whether the printer says that it leaves the paper we asked for aside. */
function tookOtherMedia(answer: IppAnswer): boolean {
  if (answer.kind !== 'done') return false
  const ignored = groupsOf(answer.message, groupTags.unsupported)
  return ignored.some((attributes) => attributes.has('media') || attributes.has('media-col'))
}

/** The pages are said so that they can be read back after a crash. */
function nameOf({ name, document }: IppJobTerms): IppAttribute[] {
  return [words('name', 'job-name', name), whole('job-impressions', document.pages)]
}

/** All that a queue might otherwise have its own mind about: paper, size, copies, sides, cover sheets. */
function jobAttributes({ media, dpi, printer: { attributes, isQueue } }: IppJobTerms): IppAttribute[] {
  const known = (name: string, value: string): IppAttribute[] =>
    textsOf(attributes, `${name}-supported`).includes(value) ? [words('keyword', name, value)] : []
  const hasDpi = (attributes.get('printer-resolution-supported') ?? []).some(
    (value) => value.type === 'resolution' && value.unit === 'dpi' && value.x === dpi && value.y === dpi,
  )
  return [
    media.attribute,
    whole('copies', 1),
    ...known('print-scaling', 'none'),
    ...known('sides', 'one-sided'),
    ...(hasDpi ? [attribute('printer-resolution', { type: 'resolution', x: dpi, y: dpi, unit: 'dpi' })] : []),
    ...(isQueue ? [words('name', 'job-sheets', 'none', 'none')] : []),
  ]
}
