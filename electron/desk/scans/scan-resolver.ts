import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { ScanExpectation, ScanOutcome } from '#shared/bridge/scan-views.ts'
import { parseCommand } from '#shared/domain/commands.ts'
import { readBarcode } from '#shared/domain/gs1/read-barcode.ts'
import { codeKey, looksMisread } from '#shared/domain/gtin.ts'
import { looksLikeCommand, parseNamed } from '#shared/domain/named-commands.ts'
import { normaliseCode, parseReference } from '#shared/domain/references.ts'
import type { Result } from '#shared/errors/result.ts'
import type { Articles } from '../catalogue/articles.ts'
import { isoTime } from '../timing/iso-time.ts'
import type { Locations } from '../modifications/locations.ts'
import type { Modifications } from '../modifications/modifications.ts'
import type { CatalogueStore } from '../ports/catalogue-store.ts'
import type { LabelLedger } from '../ports/label-ledger.ts'
import type { PrintersPort } from '../ports/printers.ts'
import type { LabelIndexStore, ShipmentIndexStore, StoredReturnLabel } from '../ports/recent-store.ts'
import {
  type Found,
  foundArticle,
  foundCommand,
  foundFailure,
  foundLabel,
  foundLocation,
  foundModification,
  foundShipment,
  type Scanned,
} from './scan-found.ts'
import { toLabelView } from '../labels/label-view.ts'
import type { Shipments } from '../shipments/shipments.ts'

export interface ScanResolverParts {
  readonly shipments: Shipments
  readonly articles: Articles
  readonly locations: Pick<Locations, 'learn' | 'byCode' | 'inText'>
  readonly modifications: Pick<Modifications, 'byReference'>
  readonly labels: LabelLedger
  readonly printers: Pick<PrintersPort, 'named'>
  readonly index: ShipmentIndexStore
  /** All shipments that are wanted here are here. */
  readonly isIndexWhole: () => boolean
  readonly labelIndex: LabelIndexStore
  readonly catalogue: CatalogueStore
  /** Takes a label that another desk made into the ledger: as the service has it now, else as it was listed. */
  readonly takeLabel: (known: StoredReturnLabel) => Promise<Result<ReturnLabelView>>
  /** Looks for the newest return labels; resolves after the answer or after as long as a scan waits. */
  readonly refreshLabels: () => Promise<void>
}

/** A scan's question: what the text is, and whether a location that it holds is learned. */
export interface ScanQuestion extends Scanned {
  readonly expect: ScanExpectation
  readonly learns: boolean
}

/** The question with what the barcode says. */
interface Asked extends ScanQuestion {
  /** Without the identifier of its symbology. */
  readonly code: string
  /** The GTIN that GS1 data holds, else the code. */
  readonly article: string
}

type Step = (asked: Asked) => Found | null | Promise<Found | null>

/**
 * What a scanned text is. The order of the questions matters: an order's reference is also the bare one of its return
 * label; and while stock is put together, an article's code that an order bears too means the article. Everything kept
 * here is asked before the service is.
 */
export class ScanResolver {
  readonly #parts: ScanResolverParts
  readonly #order: Readonly<Record<ScanExpectation, readonly Step[]>>

  constructor(parts: ScanResolverParts) {
    this.#parts = parts
    const { location, article, shipment, ownLabel, modification, otherLabel, servicesArticle, serial } =
      this.#steps()
    const command: Step = (question) => {
      const found = parseCommand(question.code) ?? parseNamed(question.code)?.name
      if (found) return foundCommand(question, found)
      // misread, or of another version: nothing that the service could know
      return looksLikeCommand(question.code) ? this.#unknown(question, false) : null
    }
    this.#order = {
      anything: [command, shipment, ownLabel, location, modification, article, serial, otherLabel],
      stock: [
        command,
        location,
        article,
        servicesArticle,
        shipment,
        ownLabel,
        modification,
        serial,
        otherLabel,
      ],
    }
  }

  async resolve(scanned: ScanQuestion): Promise<Found> {
    const { text, gtin, elements } = readBarcode(scanned.raw, new Date(scanned.at).getUTCFullYear())
    const question = { ...scanned, code: text, article: elements.length > 0 ? (gtin ?? text) : text }
    for (const step of this.#order[question.expect]) {
      const found = await step(question)
      if (found) return found
    }
    return this.#askService(question)
  }

  #steps(): Record<
    | 'location'
    | 'article'
    | 'shipment'
    | 'ownLabel'
    | 'modification'
    | 'otherLabel'
    | 'servicesArticle'
    | 'serial',
    Step
  > {
    const { shipments, articles, locations, modifications, labels, printers, labelIndex, takeLabel } =
      this.#parts
    return {
      shipment: async (question) => {
        const known = shipments.known(normaliseCode(question.code))
        return known && this.#shipment(question, await shipments.freshened(known))
      },
      // short as they are, many another thing may bear the same: that one is meant
      serial: async (question) => {
        const known = shipments.knownBySerial(normaliseCode(question.code))
        return known && this.#shipment(question, await shipments.freshened(known))
      },
      ownLabel(question) {
        const label = labels.byCode(normaliseCode(question.code))
        return label && foundLabel(question, toLabelView(label, printers))
      },
      location(question) {
        const { code } = question
        const held = question.learns ? locations.learn(code) : locations.inText(code)
        if (held) return foundLocation(question, held)
        const location = locations.byCode(code)
        return location && foundLocation(question, { location, isNew: false })
      },
      modification(question) {
        const reference = parseReference(question.code)
        const booked =
          reference?.kind === 'modification' ? modifications.byReference(reference.reference) : null
        return booked && foundModification(question, booked)
      },
      article(question) {
        const known = articles.known(question.article)
        return known && foundArticle(question, known)
      },
      servicesArticle: async (question) => {
        const { found } = await articles.ask(question.article)
        return found && foundArticle(question, found)
      },
      otherLabel: async (question) => {
        const known = labelIndex.byCode(normaliseCode(question.code))
        if (!known) return null
        const opened = await takeLabel(known)
        return opened.ok ? foundLabel(question, opened.value) : foundFailure(question, opened.error)
      },
    }
  }

  /** Nothing here knows it: whatever the service can be asked for, at the same time. */
  async #askService(question: Asked): Promise<Found> {
    const { shipments, articles, refreshLabels } = this.#parts
    const { code, article, expect } = question
    // the service's own numbers are never an article's
    const mayBeArticle = expect === 'anything' && parseReference(code) === null
    const askedForArticle = mayBeArticle
      ? articles.ask(article)
      : Promise.resolve({ found: null, askedService: true })
    const askedForShipment = shipments.ask(code)
    const refreshed = refreshLabels()
    // somebody may ask for this one long after it failed
    for (const one of [askedForArticle, askedForShipment, refreshed]) one.catch(() => undefined)
    const isGtin = /^\d{14}$/.test(codeKey(article))
    if (isGtin) {
      const { found } = await askedForArticle
      if (found) return foundArticle(question, found)
    }
    const asked = await askedForShipment
    if (asked.kind === 'found') return this.#shipment(question, asked.stored)
    const { found, askedService } = await askedForArticle
    if (found) return foundArticle(question, found)
    await refreshed
    const label = await this.#steps().otherLabel(question)
    if (label) return label
    if (asked.kind === 'failed') return foundFailure(question, asked.failure)
    return this.#unknown(question, asked.askedService && askedService)
  }

  #shipment(question: ScanQuestion, stored: Parameters<typeof foundShipment>[1]): Found {
    const { labels, printers } = this.#parts
    const label = labels.newestOfShipment(stored.shipment.id)
    return foundShipment(
      question,
      stored,
      label && toLabelView(label, printers),
      (id) => this.#parts.catalogue.variant(id)?.variant,
    )
  }

  #unknown({ scanId, raw, code, at }: Asked, askedService: boolean): Found {
    const { index, isIndexWhole, catalogue } = this.#parts
    const state = index.state()
    const { complete, asOf } = catalogue.state()
    const outcome: ScanOutcome = {
      scanId,
      raw,
      at,
      kind: 'unknown',
      misread: looksMisread(code),
      indexReachesBackTo: state && isoTime(state.oldest),
      indexFilling: !isIndexWhole(),
      articlesAsOf: complete && asOf !== null ? isoTime(asOf) : null,
      askedService,
    }
    return { outcome, title: null, subjectId: null }
  }
}
