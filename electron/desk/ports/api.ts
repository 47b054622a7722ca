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
 * The outcome of one call. A client never throws.
 * - answer: the expected status with a body of the expected shape.
 * - refused: the service refused the call (4xx except 417); nothing was applied.
 * - not_sent: the call did not reach the service (no connection, a captive portal, a redirect); nothing was applied.
 * - ambiguous: a write may have been applied (timeout or reset after sending, 417, 5xx, an unreadable 2xx).
 * `serverDate`: the response's Date header, milliseconds since 1970. Null: the response has no such header. `isStored`:
 * the response comes from a cache, so it may be older than the call.
 */
export type ApiOutcome<T> =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly value: T
      readonly serverDate: number | null
      readonly isStored?: true
    }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly failure: Failure
      readonly serverDate: number | null
      readonly isStored?: true
    }
  | { readonly kind: 'not_sent'; readonly failure: Failure }
  | { readonly kind: 'ambiguous'; readonly status: number | null; readonly failure: Failure }

/**
 * Query of a list of records, newest first. `from` and `to`: the first and the last day of creation, `YYYY-MM-DD` in
 * UTC.
 */
export interface RecentQuery {
  readonly from?: string
  readonly to?: string
  /** Page number; the first page is 1. */
  readonly page: number
  readonly limit: number
}

/** A row that does not fit the wire's schema. Only this row is left out; the other rows of its page are used. */
export interface SkippedRow {
  /** Id of the row that does not fit; null if the id is unreadable too. */
  readonly id: string | null
  readonly problem: string
}

/** One page of a list. Each row was checked separately, and the unreadable rows are in `skipped`. */
export interface RowPage<Row> {
  readonly rows: readonly Row[]
  readonly skipped: readonly SkippedRow[]
}

export interface PageQuery {
  /** Page number; the first page is 1. */
  readonly page: number
  readonly limit: number
}

/** Query of the list of all lots in the order of their creation, with the oldest or the newest lot first. */
export interface BatchQuery extends PageQuery {
  readonly direction: 'asc' | 'desc'
}

/**
 * Query of the list of all variants in the order of their creation or of their last change, ascending or descending.
 */
export interface VariantQuery extends PageQuery {
  readonly sort: 'createdAt' | 'modifiedAt'
  readonly direction: 'asc' | 'desc'
}

/** An exact search: the whole field must be equal to the value (API.md 3.1). */
export type ArticleFilter =
  { readonly ean: string } | { readonly sku: string } | { readonly article_code: string }

/** The service (API.md), with one method for each call that the desk makes. `access` is the access token. */
export interface ApiPort {
  login(credentials: LoginRequest): Promise<ApiOutcome<Tokens>>
  refresh(refreshToken: string): Promise<ApiOutcome<Tokens>>
  listCustomers(access: string, page: number): Promise<ApiOutcome<readonly Customer[]>>
  /**
   * Checks whether the service responds. Any response counts, also the response that the token is missing. `access`
   * null: the call contains no token. The call has a short timeout.
   */
  greet(access: string | null): Promise<ApiOutcome<unknown>>
  /** Returns a shipment with its lines, labels, address, method and variants. */
  getShipment(access: string, id: string): Promise<ApiOutcome<Shipment>>
  listShipments(access: string, query: RecentQuery): Promise<ApiOutcome<RowPage<Shipment>>>
  shipmentsOfOrder(access: string, orderReference: string): Promise<ApiOutcome<readonly Shipment[]>>
  /**
   * Returns the newest of the shipment's labels that are not cancelled. The status 404 means that no such label exists
   * (API.md 7.2).
   */
  getShipmentReturnLabel(access: string, shipmentId: string): Promise<ApiOutcome<ShipmentReturnLabel>>
  /** Returns one page of return labels, each with its shipment. */
  listReturnLabels(access: string, query: RecentQuery): Promise<ApiOutcome<RowPage<ReturnLabel>>>
  /** Returns a return label with its shipment. */
  getReturnLabel(access: string, id: ServerLabelId): Promise<ApiOutcome<ReturnLabel>>
  getVariant(access: string, id: string): Promise<ApiOutcome<Variant>>
  listVariants(access: string, query: VariantQuery): Promise<ApiOutcome<RowPage<Variant>>>
  listArticles(access: string, filter: ArticleFilter): Promise<ApiOutcome<RowPage<Article>>>
  /** Returns one page of the lots of all variants, in the order of their creation. */
  listAllBatches(access: string, query: BatchQuery): Promise<ApiOutcome<RowPage<Batch>>>
  /** Returns one page of the lots of all variants with this article code. */
  listBatches(access: string, articleCode: string, page: number): Promise<ApiOutcome<RowPage<Batch>>>
  /** Returns the first page of the stock levels of all variants with this article code (API.md 4.2). */
  listStock(access: string, articleCode: string): Promise<ApiOutcome<RowPage<Stock>>>
  listShippingMethods(access: string, page: number): Promise<ApiOutcome<RowPage<ShippingMethod>>>
  /** Lists all location types in one response, because this list has no pages in the contract (API.md 4.3). */
  listLocationTypes(access: string): Promise<ApiOutcome<RowPage<LocationType>>>
  /** Returns one page of modifications without their lines, newest first. */
  listModifications(access: string, query: RecentQuery): Promise<ApiOutcome<RowPage<Modification>>>
  /** Returns a modification with its lines. */
  getModification(access: string, id: string): Promise<ApiOutcome<Modification>>
  /**
   * Makes a call that changes something, as its row of the route table describes it (shared/wire/routes.ts). Sends the
   * call only once. `expand`: the Expand groups of the response.
   */
  write<R extends Route>(
    access: string,
    route: R,
    call: CallOf<R> & { readonly expand?: string },
  ): Promise<ApiOutcome<AnswerOf<R>>>
  /** Downloads the PDF at a signed address, without any credentials. */
  downloadDocument(url: string): Promise<ApiOutcome<Uint8Array>>
}
