import { isOpen } from '#shared/domain/command-state.ts'
import type { ReprintReason } from '#shared/domain/print-hold.ts'
import { failure, type Failure, retryPolicy } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
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
  readonly moved: (labelId: string) => void
  readonly onFault: (error: unknown) => void
}

interface Attempt {
  readonly backoff: Backoff
  /** What time does not heal: tried again at the next start, when the operator asks, or another one who may signs in. */
  stoppedBy: Failure | null
}

/**
 * Brings the PDF of every requested label into the vault, and queues a print of those that were requested here: what
 * somebody else asked for does not come out of this printer by itself. A read: repeating it is safe.
 */
export class LabelDocuments {
  readonly #parts: LabelDocumentsParts
  readonly #worker: Worker
  readonly #attempts = new Map<string, Attempt>()
  /** Signed addresses as the service just gave them. They expire and are secrets, so they are never stored. */
  readonly #addresses = new Map<string, string>()
  /** Somebody here pressed Print while the PDF was not there, and why. */
  readonly #wanted = new Map<string, ReprintReason | null>()

  constructor(parts: LabelDocumentsParts) {
    this.#parts = parts
    this.#worker = createWorker(parts.clock, () => this.#step(), parts.onFault)
    parts.line.onBack(() => this.retryNow(null))
  }

  kick(): void {
    this.#worker.kick()
  }

  /** The label was just requested and may be fetched here. */
  fetch(labelId: string, address: string): void {
    this.#addresses.set(labelId, address)
    this.kick()
  }

  /** Its paper is wanted here: printed as soon as the PDF is in the vault, unless the desk is closed before. */
  print(labelId: string, reason: ReprintReason | null): void {
    this.#wanted.set(labelId, reason)
    this.retryNow(labelId)
  }

  /** No reason to wait any longer: for one label because somebody asks, for all (null) because the line is back. */
  retryNow(labelId: string | null): void {
    if (labelId !== null) this.#attempts.delete(labelId)
    else
      for (const attempt of this.#attempts.values()) {
        attempt.backoff.reset()
        if (attempt.stoppedBy?.code === 'api.role_missing') attempt.stoppedBy = null
      }
    this.kick()
  }

  close(): Promise<void> {
    return this.#worker.close()
  }

  async #step(): Promise<number | null> {
    let soonest: number | null = null
    for (const label of this.#parts.labels.awaitingDocument()) {
      const attempt = this.#attempts.get(label.id)
      if (attempt?.stoppedBy) continue
      const waitMs = attempt?.backoff.waitMs() ?? 0
      if (waitMs > 0) {
        soonest = Math.min(soonest ?? waitMs, waitMs)
        continue
      }
      await this.#bring(label)
      return 0
    }
    return soonest
  }

  async #bring(label: LabelRow): Promise<void> {
    const { labels, vault, moved } = this.#parts
    const document = await this.#download(label)
    if (!document.ok) {
      this.#failed(label.id, document.error)
      labels.documentFailed(label.id, document.error)
    } else {
      const hash = await vault.put(document.value)
      const job = await this.#jobOf(label, document.value)
      labels.documentStored(label.id, hash, job)
      this.#wanted.delete(label.id)
      this.#attempts.delete(label.id)
      this.#addresses.delete(label.id)
    }
    moved(label.id)
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

  async #download(label: LabelRow): Promise<Result<Uint8Array>> {
    const known = this.#addresses.get(label.id)
    const address =
      known === undefined ? await this.#askForAddress(label) : { ok: true as const, value: known }
    if (!address.ok) return address
    const outcome = await this.#parts.api.downloadDocument(address.value)
    if (outcome.kind === 'answer') return { ok: true, value: outcome.value }
    // it may have expired: the next try asks for a new one
    this.#addresses.delete(label.id)
    if (known !== undefined && outcome.kind === 'refused') return this.#download(label)
    return { ok: false, error: outcome.failure }
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

  #failed(labelId: string, cause: Failure): void {
    const attempt = this.#attempts.get(labelId) ?? {
      backoff: createBackoff(this.#parts.clock, 1_000, 60_000),
      stoppedBy: null,
    }
    attempt.backoff.failed()
    const isForGood = retryPolicy(cause.code) === 'never' || cause.code.startsWith('document.')
    attempt.stoppedBy = isForGood ? cause : null
    this.#attempts.set(labelId, attempt)
  }
}
