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
import { mayHavePrinted } from './print-queue.ts'

interface LabelDocumentsParts {
  readonly api: ApiPort
  readonly session: Pick<Session, 'withAccess'>
  readonly labels: LabelLedger
  readonly vault: Vault
  readonly clock: ClockPort
  readonly line: Line
  readonly printers: Pick<PrintersPort, 'forPaper'>
  /** The PDF of this label is in the vault and its print job in the queue, or a try to get it failed. */
  readonly moved: (labelId: LabelId) => void
  readonly onFault: (error: unknown) => void
}

/** Whose address is not known yet: those are asked for one at a time, too. */
const unknownHost = 'unknown host'
/** A document has 20 MB at most. */
const mostAtOnce = 8

interface Attempt {
  readonly backoff: Backoff
  /** What time does not heal: tried again at the next start, when the operator asks, or another one who may signs in. */
  stoppedBy: Failure | null
}

interface Address {
  readonly url: string
  /** Asked for by a try; else the service gave it with the request, perhaps long ago. */
  readonly isAsked: boolean
}

/**
 * Downloads the PDF of every requested label into the vault, and queues a print of the labels that were requested at this
 * desk; a label that another desk requested is not printed automatically. A download is a read, so it may be repeated. Each
 * host serves one download at a time: labels that were never tried come first, in their order, then the label with the
 * oldest last try. So a document that never arrives does not block the others.
 */
export class LabelDocuments {
  readonly #parts: LabelDocumentsParts
  readonly #worker: Worker
  /** In the order of the last try. */
  readonly #attempts = new Map<LabelId, Attempt>()
  /** Signed addresses as the service just gave them. They expire and are secrets, so they are never stored. */
  readonly #addresses = new Map<LabelId, Address>()
  /** Labels that are tried now, with their host. */
  readonly #underWay = new Map<LabelId, { readonly host: string; readonly end: Promise<void> }>()
  /** Failures in a row, in the order of the last try. */
  readonly #hosts = new Map<string, number>()
  /** Somebody here pressed Print while the PDF was not there, and why. */
  readonly #wanted = new Map<LabelId, ReprintReason | null>()

  constructor(parts: LabelDocumentsParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    parts.line.onBack(() => this.retryNow(null))
  }

  kick(): void {
    this.#worker.kick()
  }

  /** The label was just requested and may be fetched here. */
  fetch(labelId: LabelId, address: string): void {
    this.#addresses.set(labelId, { url: address, isAsked: false })
    this.kick()
  }

  /** Its paper is wanted here: printed as soon as the PDF is in the vault, unless the desk is closed before. */
  print(labelId: LabelId, reason: ReprintReason | null): void {
    this.#wanted.set(labelId, reason)
    this.retryNow(labelId)
  }

  /** No reason to wait any longer: for one label because somebody asks, for all (null) because the line is back. */
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
    // hosts that were not tried yet, then those that were tried longest ago
    const untried = [...fresh.keys(), ...again.keys()].filter((host) => !this.#hosts.has(host))
    for (const host of new Set([...untried, ...this.#hosts.keys()])) {
      if (busy.has(host) || this.#underWay.size >= mostAtOnce) continue
      // behind a failure the newest goes ahead, each second time: it need not wait for a try of each older one
      const isNewestNext = (this.#hosts.get(host) ?? 0) % 2 === 1
      const id = fresh.get(host)?.at(isNewestNext ? -1 : 0) ?? again.get(host)?.[0]
      if (id === undefined) continue
      // noted before it begins, since one that fails at once ends at once
      this.#underWay.set(id, { host, end: Promise.resolve().then(() => this.#try(id, host)) })
    }
    return soonest
  }

  /** By host: what was never tried in the order of the labels, and what is tried again in the order of the last try. */
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

  /** False: it failed. */
  async #askAhead(label: LabelRow): Promise<boolean> {
    const url = await this.#askForAddress(label)
    if (url.ok) this.#addresses.set(label.id, { url: url.value, isAsked: true })
    else this.#noteFailure(label.id, url.error)
    return url.ok
  }

  /** False: it failed. */
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
    const job = await this.#jobOf(label, document.value)
    labels.documentStored(label.id, hash.value, job)
    this.#wanted.delete(label.id)
    this.#attempts.delete(label.id)
    this.#addresses.delete(label.id)
    moved(label.id)
    return true
  }

  /** `document.low_disk`: the operator can do something about it. */
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

  /** Null: no paper is wanted here. A second one bears its mark, whichever way it comes to be printed. */
  async #jobOf(label: LabelRow, document: Uint8Array): Promise<NewPrintJob | null> {
    const { labels, clock, printers } = this.#parts
    const printer = await printers.forPaper('return_label', document)
    // as it is now: the request may have ended while the PDF was on its way
    const { id: labelId, request, print } = labels.get(label.id) ?? label
    // one that is still open is met already, since there is a PDF: nobody would print it afterwards
    const isAsked = request !== null && (request.state === 'done' || isOpen(request.state))
    const reason = this.#wanted.get(labelId)
    if (!isAsked && reason === undefined) return null
    return {
      id: crypto.randomUUID(),
      printer: printer.name,
      // of a label that was never printed here somebody elsewhere may have the paper
      isReprint: print === null ? !isAsked : mayHavePrinted(print),
      reason: reason ?? null,
      at: clock.now(),
    }
  }

  async #download(label: LabelRow, { url, isAsked }: Address): Promise<Result<Uint8Array>> {
    const outcome = await this.#parts.api.downloadDocument(url)
    if (outcome.kind === 'answer') return { ok: true, value: outcome.value }
    // it may have expired: the next try asks for a new one
    this.#addresses.delete(label.id)
    if (isAsked || outcome.kind !== 'refused') return { ok: false, error: outcome.failure }
    const address = await this.#askForAddress(label)
    return address.ok ? this.#download(label, { url: address.value, isAsked: true }) : address
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

  /** Null: a fault of this computer, which time may heal. */
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
