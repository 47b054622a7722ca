import type { LabelId } from '#shared/domain/ids.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import type { ReprintReason } from '#shared/domain/print-job.ts'
import { failure, type Failure, retryPolicy } from '#shared/errors/catalogue.ts'
import { CataloguedError, type Result } from '#shared/errors/result.ts'
import { type Backoff, createBackoff, createWorker, type Worker } from '../timing/worker.ts'
import type { Line } from '../service/line.ts'
import type { ApiPort } from '../ports/api.ts'
import type { ClockPort } from '../ports/clock.ts'
import type { LabelLedger, LabelRow } from '../ports/label-ledger.ts'
import type { NewPrintJob } from '../ports/print-jobs.ts'
import type { PrintersPort } from '../ports/printers.ts'
import type { Vault } from '../ports/store.ts'
import type { Session } from '../service/session.ts'
import type { DocumentLoss } from './print-line.ts'
import { mayHavePrinted } from './print-queue.ts'

interface LabelDocumentsParts {
  readonly api: ApiPort
  readonly session: Pick<Session, 'withAccess'>
  readonly labels: LabelLedger
  readonly vault: Vault
  readonly clock: ClockPort
  readonly line: Line
  readonly printers: Pick<PrintersPort, 'forPaper'>
  /** Reports that the PDF of this label is stored, or that its download failed. */
  readonly moved: (labelId: LabelId) => void
  readonly onFault: (error: unknown) => void
}

/**
 * The name that replaces the host for all labels without a known address. Their addresses are then requested one at a
 * time, because one download at a time is allowed for each host.
 */
const unknownHost = 'unknown host'
/** Maximum number of downloads at the same time. A document has at most 20 MB. */
const mostAtOnce = 8
/**
 * After this number of consecutive prints of a label whose stored PDF was lost or damaged, the PDF is not downloaded
 * again automatically. Otherwise a virus scanner that removes the PDF each time would cause downloads and prints
 * without end.
 */
const mostLosses = 3

interface Attempt {
  readonly backoff: Backoff
  /**
   * A failure that an immediate new attempt would repeat. The next attempt follows after a restart of the desk, or when
   * the operator asks for the label. If a right was missing, the next attempt also follows when the connection is back
   * or after another login.
   */
  stoppedBy: Failure | null
}

interface Address {
  readonly url: string
  /**
   * Whether the address was requested for this download. If false, an earlier response contained the address, perhaps
   * long ago.
   */
  readonly isFresh: boolean
}

/**
 * Downloads and stores the PDF of every requested label. Then queues a print if the label was requested at this desk; a
 * label that another desk requested is not printed automatically. A download may be repeated, because it changes
 * nothing at the service. Each host has one download at a time: first of new labels in their order, then of the label
 * whose last attempt is the oldest. Therefore a document that never arrives does not block the others.
 */
export class LabelDocuments {
  readonly #parts: LabelDocumentsParts
  readonly #worker: Worker
  /**
   * Labels with a failed attempt, in the order of their last failure, the oldest first. A label is removed when its PDF
   * is stored, or by `retryNow` for this label.
   */
  readonly #attempts = new Map<LabelId, Attempt>()
  /**
   * Signed addresses that the service returned, by label. An address is a secret that expires, so it is never stored.
   */
  readonly #addresses = new Map<LabelId, Address>()
  /** The labels with a running attempt, each with the host of the attempt. */
  readonly #underWay = new Map<LabelId, { readonly host: string; readonly end: Promise<void> }>()
  /** Number of consecutive failures of each host. The hosts are in the order of their last attempt. */
  readonly #hosts = new Map<string, number>()
  /** Labels for which the operator pressed Print while the PDF was missing. The value is the reason of the reprint. */
  readonly #wanted = new Map<LabelId, ReprintReason | null>()

  constructor(parts: LabelDocumentsParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    parts.line.onBack(() => this.retryNow(null))
  }

  kick(): void {
    this.#worker.kick()
  }

  /** Downloads the PDF of a label from an address that the service has just returned. */
  fetch(labelId: LabelId, address: string): void {
    this.#addresses.set(labelId, { url: address, isFresh: false })
    this.kick()
  }

  /** Prints the label as soon as its PDF is stored. If the desk closes before, the label is not printed. */
  print(labelId: LabelId, reason: ReprintReason | null): void {
    this.#wanted.set(labelId, reason)
    this.retryNow(labelId)
  }

  /**
   * Downloads the PDF of a label again, because a print failed when the stored PDF was lost or damaged. After the third
   * such loss in succession, shows `document.missing` on the label instead; then the PDF is downloaded only when the
   * operator asks for the label, or after a restart of the desk. If `wasStored` is false, the print waited while the
   * label did not have this PDF. The PDF is then always downloaded, because the operator requested this print.
   */
  lost({ labelId, wasStored }: DocumentLoss): void {
    if (!wasStored || this.#parts.labels.documentLosses(labelId) < mostLosses) this.retryNow(labelId)
    else this.#noteFailure(labelId, failure('document.missing'))
  }

  /**
   * Ends the pause of one label, because the operator asks for it. Null: ends the pauses of all labels, because the
   * connection is back.
   */
  retryNow(labelId: LabelId | null): void {
    if (labelId !== null) this.#attempts.delete(labelId)
    else
      for (const attempt of this.#attempts.values()) {
        attempt.backoff.reset()
        if (attempt.stoppedBy?.code === 'api.role_missing') attempt.stoppedBy = null
      }
    this.kick()
  }

  async close(): Promise<void> {
    await this.#worker.close()
    await Promise.all([...this.#underWay.values()].map(({ end }) => end))
  }

  #step(): number | null {
    const { fresh, again, soonest } = this.#due()
    const busy = new Set([...this.#underWay.values()].map(({ host }) => host))
    // the hosts without an attempt come first; the other hosts follow in the order of their last attempt, oldest first
    const untried = [...fresh.keys(), ...again.keys()].filter((host) => !this.#hosts.has(host))
    for (const host of new Set([...untried, ...this.#hosts.keys()])) {
      if (busy.has(host) || this.#underWay.size >= mostAtOnce) continue
      // after an odd number of consecutive failures of a host, its newest label is next: otherwise the newest label
      // would wait until every older label was attempted
      const isNewestNext = (this.#hosts.get(host) ?? 0) % 2 === 1
      const id = fresh.get(host)?.at(isNewestNext ? -1 : 0) ?? again.get(host)?.[0]
      if (id === undefined) continue
      // enters the label as under way before its attempt begins, because the end of the attempt removes this entry
      this.#underWay.set(id, { host, end: Promise.resolve().then(() => this.#try(id, host)) })
    }
    return soonest
  }

  /**
   * Returns the labels to download now, by host. `fresh`: labels without an earlier attempt, in their order. `again`:
   * labels with an earlier attempt, in the order of the last attempt. `soonest`: milliseconds until the first pause
   * ends; null: no label pauses.
   */
  #due(): { fresh: Map<string, LabelId[]>; again: Map<string, LabelId[]>; soonest: number | null } {
    const awaiting = new Set(this.#parts.labels.awaitingDocument())
    const isFree = (id: LabelId): boolean => awaiting.has(id) && !this.#underWay.has(id)
    const tried = [...this.#attempts].filter(([id, { stoppedBy }]) => isFree(id) && !stoppedBy)
    const waits = tried.map(([, { backoff }]) => backoff.waitMs()).filter((waitMs) => waitMs > 0)
    const due = tried.filter(([, { backoff }]) => backoff.waitMs() === 0).map(([id]) => id)
    const never = [...awaiting].filter((id) => isFree(id) && !this.#attempts.has(id))
    const hostOf = (id: LabelId): string => this.#hostOf(id)
    const soonest = waits.length > 0 ? Math.min(...waits) : null
    return { fresh: Map.groupBy(never, hostOf), again: Map.groupBy(due, hostOf), soonest }
  }

  #hostOf(labelId: LabelId): string {
    const address = this.#addresses.get(labelId)
    return address ? (URL.parse(address.url)?.host ?? '') : unknownHost
  }

  async #try(labelId: LabelId, host: string): Promise<void> {
    const { labels, onFault } = this.#parts
    const failures = this.#hosts.get(host) ?? 0
    let isWell = false
    try {
      const label = labels.get(labelId)
      const address = this.#addresses.get(labelId)
      isWell = !label || (await (address ? this.#bring(label, address) : this.#askAhead(label)))
    } catch (error) {
      onFault(error)
      this.#failed(labelId, null)
    }
    this.#hosts.delete(host)
    this.#hosts.set(host, isWell ? 0 : failures + 1)
    this.#underWay.delete(labelId)
    this.kick()
  }

  /** Requests the address of a label's PDF. Returns false if the request failed. */
  async #askAhead(label: LabelRow): Promise<boolean> {
    const url = await this.#askForAddress(label)
    if (url.ok) this.#addresses.set(label.id, { url: url.value, isFresh: true })
    else this.#noteFailure(label.id, url.error)
    return url.ok
  }

  /** Downloads and stores the PDF of a label. Returns false if the download failed. */
  async #bring(label: LabelRow, address: Address): Promise<boolean> {
    const { labels, moved } = this.#parts
    const document = await this.#download(label, address)
    if (!document.ok) {
      this.#noteFailure(label.id, document.error)
      return false
    }
    const hash = await this.#keep(document.value)
    if (!hash.ok) {
      this.#noteFailure(label.id, hash.error)
      return false
    }
    const job = await this.#jobOf(label, document.value, hash.value)
    labels.documentStored(label.id, hash.value, job)
    this.#wanted.delete(label.id)
    this.#attempts.delete(label.id)
    this.#addresses.delete(label.id)
    moved(label.id)
    return true
  }

  /**
   * Stores the document. If the disk is almost full, returns the failure `document.low_disk`, because the operator can
   * free some space. Throws any other error.
   */
  async #keep(document: Uint8Array): Promise<Result<string>> {
    try {
      return { ok: true, value: await this.#parts.vault.put(document) }
    } catch (error) {
      if (error instanceof CataloguedError && error.failure.code === 'document.low_disk')
        return { ok: false, error: error.failure }
      throw error
    }
  }

  #noteFailure(labelId: LabelId, cause: Failure): void {
    this.#failed(labelId, cause)
    this.#parts.labels.documentFailed(labelId, cause)
    this.#parts.moved(labelId)
  }

  /**
   * Returns the print job for a label. Null: no print is queued, because this desk has not requested the label, or
   * because a print of this PDF waits already. A second print is always marked as a reprint.
   */
  async #jobOf(label: LabelRow, document: Uint8Array, hash: string): Promise<NewPrintJob | null> {
    const { labels, clock, printers } = this.#parts
    const printer = await printers.forPaper('return_label', document)
    // reads the label from the ledger again, because its request may have ended during the download
    const { id: labelId, request, print } = labels.get(label.id) ?? label
    // the PDF exists, so a request for this label that is still open has succeeded. The label is printed too, because
    // no later step would print it
    const isRequested = request !== null && (request.state === 'done' || isOpen(request.state))
    const isWaiting = print?.state === 'queued' || print?.state === 'refused'
    // the print that already waits needs exactly this PDF, which is now stored, so no further print is queued
    if (isWaiting && print.documentHash === hash) return null
    // a new print is queued for a print that failed because its stored PDF was lost, also after a restart. A new print
    // is also queued if a print of a PDF other than the downloaded one is waiting: the service does not return the PDF
    // of the waiting print any more, so the waiting print will fail for the same reason
    const isLost = isWaiting || print?.failure?.code === 'document.missing'
    const lost = isLost ? print.reason : undefined
    const reason = this.#wanted.has(labelId) ? this.#wanted.get(labelId) : lost
    if (!isRequested && reason === undefined) return null
    return {
      id: crypto.randomUUID(),
      printer: printer.name,
      // a first print is marked as a reprint if this desk has not requested the label, because another desk may have
      // printed it
      isReprint: print === null ? !isRequested : mayHavePrinted(print),
      reason: reason ?? null,
      at: clock.now(),
    }
  }

  async #download(label: LabelRow, { url, isFresh }: Address): Promise<Result<Uint8Array>> {
    const outcome = await this.#parts.api.downloadDocument(url)
    if (outcome.kind === 'answer') return { ok: true, value: outcome.value }
    // the address may have expired, so it is not used again
    this.#addresses.delete(label.id)
    if (isFresh || outcome.kind !== 'refused') return { ok: false, error: outcome.failure }
    const address = await this.#askForAddress(label)
    return address.ok ? this.#download(label, { url: address.value, isFresh: true }) : address
  }

  async #askForAddress(label: LabelRow): Promise<Result<string>> {
    const { api, session } = this.#parts
    const { serverId } = label
    if (serverId === null) return { ok: false, error: failure('return_label.unknown') }
    const outcome = await session.withAccess((token) => api.getReturnLabel(token, serverId))
    if (outcome.kind !== 'answer') return { ok: false, error: outcome.failure }
    const { url } = outcome.value
    return url === null ? { ok: false, error: failure('return_label.no_document') } : { ok: true, value: url }
  }

  /**
   * Notes a failed attempt. `cause`: the failure; null: an unexpected error of this computer. After an unexpected error
   * the desk always tries again, because such an error may end without an action of the operator.
   */
  #failed(labelId: LabelId, cause: Failure | null): void {
    const attempt = this.#attempts.get(labelId) ?? {
      backoff: createBackoff(this.#parts.clock, 1_000, 60_000),
      stoppedBy: null,
    }
    attempt.backoff.failed()
    const isForGood =
      cause !== null && (retryPolicy(cause.code) === 'never' || cause.code.startsWith('document.'))
    attempt.stoppedBy = isForGood ? cause : null
    this.#attempts.delete(labelId)
    this.#attempts.set(labelId, attempt)
  }
}
