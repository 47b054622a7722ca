import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { ArticleBarcodeData, ScanChoiceView, ScanOutcome } from '#shared/bridge/scan-views.ts'
import type { LocationView, ModificationView } from '#shared/bridge/stock-views.ts'
import { parseBadge } from '#shared/domain/badge.ts'
import { meaningsOf } from '#shared/domain/barcode/meanings.ts'
import { carrierNames } from '#shared/domain/carriers/tracking.ts'
import { type Command, type NamedCommand, readCommand } from '#shared/domain/commands.ts'
import type { ReadBarcode } from '#shared/domain/gs1/read-barcode.ts'
import { codeKey } from '#shared/domain/gtin.ts'
import type { Instant } from '#shared/domain/instants.ts'
import { normaliseCode, parseReference } from '#shared/domain/references.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'
import type { ArticleLookup, AskedForArticle } from '../catalogue/article-lookup.ts'
import { toVariantView } from '../catalogue/articles.ts'
import { toLabelView } from '../labels/label-view.ts'
import type { Locations } from '../modifications/locations.ts'
import type { Modifications } from '../modifications/modifications.ts'
import type { CatalogueStore, StoredVariant } from '../ports/catalogue-store.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintersPort } from '../ports/printers.ts'
import type { LabelIndexStore, LotsStore, StoredReturnLabel, StoredShipment } from '../ports/recent-store.ts'
import type { WalkView } from '../shipments/index-walker.ts'
import { type Shipments, toShipmentView } from '../shipments/shipments.ts'
import { isoTime } from '../view-parts.ts'
import { type ScanAnswers, shapeFor } from './scan-answers.ts'
import { candidatesOf, nearCandidatesOf, otherLabelOf, type ScanSources, stockOf } from './scan-candidates.ts'
import type { ReadScan, Candidate, Found, ScanAnswer, Scanned, ScanQuestion } from './scan-question.ts'

export interface ScanResolverParts {
  readonly shipments: Shipments
  readonly articles: ArticleLookup
  readonly locations: Pick<Locations, 'learn' | 'byCode' | 'inText'>
  readonly modifications: Pick<Modifications, 'byReference'>
  readonly labels: LabelLedger
  readonly printers: Pick<PrintersPort, 'named'>
  /** Returns the state of the index of shipments. It shows which of the wanted shipments the index contains. */
  readonly indexView: () => Pick<WalkView, 'state' | 'isWhole' | 'gapSince'>
  /** Whether there are shipments or return labels that the desk could not read since its start. */
  readonly hasUnreadable: () => boolean
  readonly labelIndex: LabelIndexStore
  readonly catalogue: CatalogueStore
  readonly lots: Pick<LotsStore, 'variantOf'>
  readonly answers: ScanAnswers
  /**
   * The secret in the command barcodes of this station; null: this is the sandbox, whose command barcodes have no
   * secret.
   */
  readonly commandSecret: () => string | null
  /**
   * Adds a label of another desk to the ledger, in its state at the service or, without a response, as this desk's copy
   * has it. Fails with `return_label.unknown` if the service no longer has the label.
   */
  readonly takeLabel: (known: StoredReturnLabel) => Promise<Result<ReturnLabelView>>
  /**
   * Reads the newest return labels. Resolves after the response, or when the maximum time that a scan waits has passed.
   */
  readonly refreshLabels: () => Promise<void>
}

/**
 * Finds the meaning of a scanned text. Handles unambiguous texts first. Then searches all records of this desk: a
 * single match is shown; for several matches the operator is asked once. The service is asked about a text only if no
 * record of this desk matches; during a modification, it is asked for an article even if a parcel matches. If the
 * service returns several matches, the operator is asked too.
 */
export class ScanResolver {
  readonly #parts: ScanResolverParts
  readonly #sources: ScanSources

  constructor(parts: ScanResolverParts) {
    this.#parts = parts
    const { shipments, catalogue, locations, modifications, labels, labelIndex } = parts
    this.#sources = {
      shipments,
      catalogue,
      locations,
      modifications,
      labels,
      labelIndex,
      show: this.#show(),
    }
  }

  async resolve(scanned: ScanQuestion): Promise<Found> {
    const scan = this.#readScan(scanned)
    const certain = this.#certain(scan)
    if (certain) return certain
    const asked = await this.#askForArticle(scan)
    const exact = candidatesOf(scan, this.#sources)
    const serial = exact.length > 0 ? null : await this.#bySerial(scan)
    if (serial) return serial
    const candidates = exact.length > 0 ? exact : nearCandidatesOf(scan, this.#sources)
    const [only, ...others] = candidates
    if (!only) return (await this.#otherLabel(scan)) ?? this.#askService(scan, asked)
    return others.length === 0 ? only.open() : this.#askOperator(scan, candidates)
  }

  /**
   * Returns a question to the operator about several matches, or the match that an earlier choice of the operator
   * selects.
   */
  async #askOperator(scan: ReadScan, candidates: readonly Candidate[]): Promise<Found> {
    const { text } = scan.meanings
    const earlier = this.#parts.answers.remembered(text, scan.expect, candidates)
    return earlier
      ? withMemory(await earlier.candidate.open(), earlier.choice)
      : foundAmbiguous(scan, candidates, shapeFor(text, candidates))
  }

  /**
   * Resolves the scan with the operator's choice and stores the choice. If the chosen record no longer matches, the
   * scan is resolved again.
   */
  async choose(scanned: ScanQuestion, { kind, subjectId, forShape }: ScanAnswer): Promise<Found> {
    const scan = this.#readScan(scanned)
    const exact = candidatesOf(scan, this.#sources)
    const candidates = exact.length > 0 ? exact : nearCandidatesOf(scan, this.#sources)
    const candidate = candidates.find((one) => one.kind === kind && one.subjectId === subjectId)
    if (!candidate) return this.resolve(scanned)
    const answer = { candidate, candidates, forShape }
    const choice =
      candidates.length > 1 ? this.#parts.answers.remember(scan.meanings.text, scan.expect, answer) : null
    const found = await candidate.open()
    return choice ? withMemory(found, choice) : found
  }

  #readScan(scanned: ScanQuestion): ReadScan {
    return { ...scanned, meanings: meaningsOf(scanned.raw, new Date(scanned.at).getUTCFullYear()) }
  }

  /** Returns the result of an unambiguous text: a command, a badge, the id of a lot or of a location. */
  #certain(scan: ReadScan): Found | null {
    const { locations, lots, catalogue } = this.#parts
    const { text } = scan.meanings
    const reading = readCommand(text, this.#parts.commandSecret())
    if (reading.kind === 'command') return foundCommand(scan, reading.command)
    if (reading.kind === 'named') return foundCommand(scan, reading.named.name)
    // the text was misread, is blank, or is a command of another version or station, so the service is not asked
    if (reading.kind !== 'none' || text.trim() === '')
      return foundUnknown(scan, { ...this.#reach(), askedService: false })
    const username = parseBadge(text)
    if (username !== null) return foundBadge(scan, username)
    const lotId = text.trim().toLowerCase()
    const variantId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(lotId) ? lots.variantOf(lotId) : null
    const variant = variantId === null ? null : catalogue.variant(variantId)
    if (variant) return foundArticle(scan, variant, scan.meanings.gs1, lotId)
    // the code of a parcel may look like the code of a location, so the location is added to the location book only
    // during a booking, when a location is expected
    const isTaught = scan.learns && scan.expect === 'stock'
    const held = isTaught ? locations.learn(text) : locations.inText(text)
    return held && foundLocation(scan, held)
  }

  /**
   * Asks the service for an article during a modification, because during a modification an article takes precedence
   * over a parcel that is stored at this desk. `candidatesOf` then returns the articles of the response. Returns null
   * if the service was not asked, because the scan does not belong to a modification or because this desk has a
   * matching article.
   */
  async #askForArticle(scan: ReadScan): Promise<AskedForArticle | null> {
    if (scan.expect !== 'stock' || stockOf(scan, this.#sources).length > 0) return null
    return this.#parts.articles.ask(firstOf(scan.meanings.articles))
  }

  /**
   * Returns a shipment by the serial number of one of its items. Call it only if no other record matches, because a
   * short serial number may equal another code.
   */
  async #bySerial(scan: ReadScan): Promise<Found | null> {
    const { shipments } = this.#parts
    const known = shipments.knownBySerial(normaliseCode(scan.meanings.text))
    return known && this.#shipment(scan, await shipments.refreshed(known))
  }

  async #otherLabel(scan: ReadScan): Promise<Found | null> {
    const known = otherLabelOf(scan, this.#sources)
    if (!known) return null
    const opened = await this.#parts.takeLabel(known)
    return opened.ok ? foundLabel(scan, opened.value) : foundFailure(scan, opened.error)
  }

  /**
   * Sends all requests about an unknown text to the service at the same time. `asked`: the result of an earlier search
   * for an article, which is not repeated.
   */
  async #askService(scan: ReadScan, asked: AskedForArticle | null): Promise<Found> {
    const { shipments, articles, refreshLabels } = this.#parts
    const { meanings } = scan
    const article = firstOf(meanings.articles)
    // searches no article for a reference of the service or a code of a carrier: these are never codes of an article
    const isParcel = parseReference(meanings.text) !== null || meanings.carrier !== null
    const noArticle = isParcel ? { found: null, askedService: true } : null
    const known = asked ?? noArticle
    const articleAnswer = known ? Promise.resolve(known) : articles.ask(article)
    const shipmentAnswer = shipments.ask(meanings)
    const refreshed = refreshLabels()
    // prevents an unhandled rejection: a request may fail before its result is awaited
    for (const one of [articleAnswer, shipmentAnswer, refreshed]) one.catch(() => undefined)
    if (/^\d{14}$/.test(codeKey(article))) {
      const { found } = await articleAnswer
      if (found) return this.#foundAtService(scan, foundArticle(scan, found, meanings.gs1))
    }
    const answer = await shipmentAnswer
    if (answer.kind === 'found') return this.#foundAtService(scan, this.#shipment(scan, answer.stored))
    const { found, askedService } = await articleAnswer
    if (found) return this.#foundAtService(scan, foundArticle(scan, found, meanings.gs1))
    await refreshed
    const label = await this.#otherLabel(scan)
    if (label) return label
    if (answer.kind === 'failed') return foundFailure(scan, answer.failure)
    return foundUnknown(scan, { ...this.#reach(), askedService: answer.askedService && askedService })
  }

  /**
   * Returns the record that the service returned, or a question if it returned several records of this kind, such as
   * the shipments of one order. Does not consider records of other kinds, because another request may still run.
   */
  #foundAtService(scan: ReadScan, found: Found): Found | Promise<Found> {
    const { kind } = found.outcome
    const ofKind = (all: readonly Candidate[]): Candidate[] => all.filter((one) => one.kind === kind)
    const exact = ofKind(candidatesOf(scan, this.#sources))
    const candidates = exact.length > 0 ? exact : ofKind(nearCandidatesOf(scan, this.#sources))
    return candidates.length > 1 ? this.#askOperator(scan, candidates) : found
  }

  #show(): ScanSources['show'] {
    const { shipments, printers } = this.#parts
    return {
      shipment: async (scan, stored) => this.#shipment(scan, await shipments.refreshed(stored)),
      label: (scan, label) => foundLabel(scan, toLabelView(label, printers)),
      article: (scan, stored) => foundArticle(scan, stored, scan.meanings.gs1),
      location: foundLocation,
      modification: foundModification,
    }
  }

  #shipment(scan: Scanned, stored: Parameters<typeof foundShipment>[1]): Found {
    const { labels, printers, catalogue } = this.#parts
    const label = labels.newestOfShipment(stored.shipment.id)
    const view = label && toLabelView(label, printers)
    return foundShipment(scan, stored, view, (id) => catalogue.variant(id)?.variant)
  }

  /** Returns how much of the service's data this desk has. */
  #reach(): Omit<Reach, 'askedService'> {
    const { indexView, hasUnreadable, catalogue } = this.#parts
    const { complete, asOf } = catalogue.state()
    const { state, isWhole, gapSince } = indexView()
    return {
      oldest: state?.oldest ?? null,
      isFilling: !isWhole,
      gapSince,
      hasUnreadable: hasUnreadable(),
      articlesAt: complete ? asOf : null,
    }
  }
}

function firstOf(codes: readonly string[]): string {
  return codes[0] ?? ''
}

function foundCommand(scanned: Scanned, command: Command | NamedCommand): Found {
  return { outcome: { ...head(scanned), kind: 'command', command }, title: command, subjectId: null }
}

function foundShipment(
  scanned: Scanned,
  { shipment, asOf }: StoredShipment,
  label: ReturnLabelView | null,
  catalogued: Parameters<typeof toShipmentView>[2],
): Found {
  const view = toShipmentView(shipment, asOf, catalogued)
  return {
    outcome: { ...head(scanned), kind: 'shipment', shipment: view, label },
    title: shipment.reference,
    subjectId: shipment.id,
  }
}

function foundLabel(scanned: Scanned, label: ReturnLabelView): Found {
  return {
    outcome: { ...head(scanned), kind: 'return_label', label, swap: null },
    title: label.externalReference ?? label.shipmentReference ?? label.trackingCode,
    subjectId: label.id,
  }
}

/** Returns the result for a scanned article. `lotId`: the lot whose id was scanned. */
function foundArticle(
  scanned: Scanned,
  stored: StoredVariant,
  read: ReadBarcode,
  lotId: string | null = null,
): Found {
  const said = furtherDataOf(read, lotId)
  return {
    outcome: { ...head(scanned), kind: 'article', variant: toVariantView(stored), ...(said && { said }) },
    title: stored.variant.name,
    subjectId: stored.variant.id,
  }
}

function foundLocation(
  scanned: Scanned,
  { location, isNew }: { readonly location: LocationView; readonly isNew: boolean },
): Found {
  return {
    outcome: { ...head(scanned), kind: 'location', location, isNew },
    title: location.code ?? location.id,
    subjectId: location.id,
  }
}

function foundModification(scanned: Scanned, modification: ModificationView): Found {
  return {
    outcome: { ...head(scanned), kind: 'modification', modification },
    title: modification.reference,
    subjectId: modification.id,
  }
}

/**
 * Returns a question to the operator: which of several matching records is meant. Used if no earlier choice of the
 * operator applies.
 */
function foundAmbiguous(scan: ReadScan, candidates: readonly Candidate[], shape: string | null): Found {
  const views = candidates.map(({ kind, subjectId, title, detail, at }) => ({
    kind,
    subjectId,
    title,
    detail,
    at,
  }))
  const outcome = {
    ...head(scan),
    kind: 'ambiguous',
    candidates: views,
    shape,
    expect: scan.expect,
  } as const
  return { outcome, title: null, subjectId: null }
}

function foundBadge(scanned: Scanned, username: string): Found {
  return { outcome: { ...head(scanned), kind: 'badge', username }, title: username, subjectId: null }
}

/** How much of the service's data this desk has. Times are milliseconds since 1970; null: there is no data yet. */
interface Reach {
  readonly oldest: Instant | null
  /** Whether the desk still lacks, or may lack, shipments that it must keep. */
  readonly isFilling: boolean
  /** If the index may lack new shipments: the moment since which these were created. Otherwise null. */
  readonly gapSince: Instant | null
  /** Whether there are shipments or return labels that this desk could not read. */
  readonly hasUnreadable: boolean
  readonly articlesAt: Instant | null
  readonly askedService: boolean
}

/** Returns the result of a text that no record matches. */
function foundUnknown(scan: ReadScan, known: Reach): Found {
  const { isMisread, carrier } = scan.meanings
  const outcome: ScanOutcome = {
    ...head(scan),
    kind: 'unknown',
    misread: isMisread,
    carrier: carrier && carrierNames[carrier],
    indexReachesBackTo: known.oldest === null ? null : isoTime(known.oldest),
    indexFilling: known.isFilling,
    indexGapSince: known.gapSince === null ? null : isoTime(known.gapSince),
    indexLeftOut: known.hasUnreadable,
    articlesAsOf: known.articlesAt === null ? null : isoTime(known.articlesAt),
    askedService: known.askedService,
  }
  return { outcome, title: null, subjectId: null }
}

/** Adds to a result the operator's earlier choice, which selected the record in this result. */
function withMemory(found: Found, remembered: ScanChoiceView): Found {
  const { outcome } = found
  switch (outcome.kind) {
    case 'shipment':
    case 'return_label':
    case 'article':
    case 'location':
    case 'modification':
      return { ...found, outcome: { ...outcome, remembered } }
    default:
      return found
  }
}

export function foundFailure(scanned: Scanned, { code, params }: Failure): Found {
  const view = { code, params: { ...params } }
  return { outcome: { ...head(scanned), kind: 'failed', failure: view }, title: null, subjectId: null }
}

/** Returns the data that a barcode contains in addition to the article; null: the barcode contains only the article. */
function furtherDataOf(
  { elements, lot, expiry, serial, problems }: ReadBarcode,
  lotId: string | null,
): ArticleBarcodeData | null {
  if (lotId === null && (elements.length === 0 || !(lot ?? expiry ?? serial ?? problems[0]))) return null
  return { lot, expiry, serial, problems: [...new Set(problems.map(({ code }) => code))], lotId }
}

/** Returns only the fields of a scan that the contract of the bridge names. */
function head({ scanId, raw, at }: Scanned): Scanned {
  return { scanId, raw, at }
}
