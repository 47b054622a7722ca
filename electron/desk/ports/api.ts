import type { ServerLabelId } from '#shared/domain/ids.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import type { Article } from '#shared/wire/article.ts'
import type { Batch } from '#shared/wire/batch.ts'
import type { LocationType } from '#shared/wire/location-type.ts'
import type { Modification } from '#shared/wire/modification.ts'
import type { ShippingMethod } from '#shared/wire/shipping-method.ts'
import type { Stock } from '#shared/wire/stock.ts'
import type { Variant } from '#shared/wire/variant.ts'
import type { LoginRequest, Tokens } from '#shared/wire/auth.ts'
import type { Customer } from '#shared/wire/customer.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { AnswerOf, CallOf, Route } from '#shared/wire/routes.ts'
import type { Shipment, ShipmentReturnLabel } from '#shared/wire/shipment.ts'

/**
 * What is known after one call; a client never throws.
 * - answer: the expected status with a body of the expected shape.
 * - refused: the service says no (4xx but 417); nothing was applied.
 * - not_sent: it did not reach the service (no line, a captive portal, a redirect); nothing was applied.
 * - ambiguous: a write may have been applied (timeout or reset after sending, 417, 5xx, an unreadable 2xx).
 * `serverDate`: the answer's Date header, milliseconds since 1970, or null.
 */
export type ApiOutcome<T> =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly value: T
      readonly serverDate: number | null
    }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly failure: Failure
      readonly serverDate: number | null
    }
  | { readonly kind: 'not_sent'; readonly failure: Failure }
  | { readonly kind: 'ambiguous'; readonly status: number | null; readonly failure: Failure }

/** Query of a list by creation time, newest first; days are `YYYY-MM-DD` in UTC, both inclusive. */
export interface RecentQuery {
  readonly from?: string
  readonly to?: string
  /** 1 is the first. */
  readonly page: number
  readonly limit: number
}

/** A row that does not fit the wire's schema: left out, so that it never costs the rest of its page. */
export interface SkippedRow {
  /** Null: not even an id could be read. */
  readonly id: string | null
  readonly problem: string
}

/** One page of a list whose rows are judged one by one. */
export interface RowPage<Row> {
  readonly rows: readonly Row[]
  readonly skipped: readonly SkippedRow[]
}

export interface PageQuery {
  /** 1 is the first. */
  readonly page: number
  readonly limit: number
}

/** Which end of all lots is read: the oldest made first, or the newest. */
export interface BatchQuery extends PageQuery {
  readonly direction: 'asc' | 'desc'
}

/** Which end of all variants is read: the oldest made first, or the latest changed first. */
export interface VariantQuery extends PageQuery {
  readonly sort: 'createdAt' | 'modifiedAt'
  readonly direction: 'asc' | 'desc'
}

/** Exact search, letter by letter (API.md 3.1). */
export type ArticleFilter =
  { readonly ean: string } | { readonly sku: string } | { readonly article_code: string }

/** The service (API.md), one method a call the desk makes. `access` is the bearer token. */
export interface ApiPort {
  login(credentials: LoginRequest): Promise<ApiOutcome<Tokens>>
  refresh(refreshToken: string): Promise<ApiOutcome<Tokens>>
  listCustomers(access: string, page: number): Promise<ApiOutcome<readonly Customer[]>>
  /** Whether somebody is there: any word of the service will do, also that a token (null: none) is missing. Not long. */
  greet(access: string | null): Promise<ApiOutcome<unknown>>
  /** With lines, labels, address, method and variants. */
  getShipment(access: string, id: string): Promise<ApiOutcome<Shipment>>
  listShipments(access: string, query: RecentQuery): Promise<ApiOutcome<RowPage<Shipment>>>
  shipmentsOfOrder(access: string, orderReference: string): Promise<ApiOutcome<readonly Shipment[]>>
  /** Its newest label that is not cancelled; 404: none (API.md 7.2). */
  getShipmentReturnLabel(access: string, shipmentId: string): Promise<ApiOutcome<ShipmentReturnLabel>>
  /** With the shipment each belongs to. */
  listReturnLabels(access: string, query: RecentQuery): Promise<ApiOutcome<RowPage<ReturnLabel>>>
  /** With the shipment it belongs to. */
  getReturnLabel(access: string, id: ServerLabelId): Promise<ApiOutcome<ReturnLabel>>
  getVariant(access: string, id: string): Promise<ApiOutcome<Variant>>
  listVariants(access: string, query: VariantQuery): Promise<ApiOutcome<RowPage<Variant>>>
  listArticles(access: string, filter: ArticleFilter): Promise<ApiOutcome<RowPage<Article>>>
  /** Of all variants, in the order in which they were made. */
  listAllBatches(access: string, query: BatchQuery): Promise<ApiOutcome<RowPage<Batch>>>
  /** Of all variants with this article code. */
  listBatches(access: string, articleCode: string, page: number): Promise<ApiOutcome<RowPage<Batch>>>
  /** Stock levels of all variants with this article code (API.md 4.2). */
  listStock(access: string, articleCode: string): Promise<ApiOutcome<RowPage<Stock>>>
  listShippingMethods(access: string, page: number): Promise<ApiOutcome<RowPage<ShippingMethod>>>
  /** All at once: the contract shows no pages for them (API.md 4.3). */
  listLocationTypes(access: string): Promise<ApiOutcome<RowPage<LocationType>>>
  /** Newest first, without their lines. */
  listModifications(access: string, query: RecentQuery): Promise<ApiOutcome<RowPage<Modification>>>
  /** With its lines. */
  getModification(access: string, id: string): Promise<ApiOutcome<Modification>>
  /** Every call that changes something is made by its row of the route table (shared/wire/routes.ts), and never repeated. */
  write<R extends Route>(access: string, route: R, call: CallOf<R>): Promise<ApiOutcome<AnswerOf<R>>>
  /** The PDF behind a signed address, fetched without any credentials. */
  downloadDocument(url: string): Promise<ApiOutcome<Uint8Array>>
}
