import type { Failure } from '#shared/errors/catalogue.ts'
import type { LoginRequest, Tokens } from '#shared/wire/auth.ts'
import type { Customer } from '#shared/wire/customer.ts'
import type { ReturnLabel, ReturnLabelCreate } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'

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

/** The service (api.md), one method a call the desk makes. `access` is the bearer token. */
export interface ApiPort {
  login(credentials: LoginRequest): Promise<ApiOutcome<Tokens>>
  refresh(refreshToken: string): Promise<ApiOutcome<Tokens>>
  listCustomers(access: string, page: number): Promise<ApiOutcome<readonly Customer[]>>
  /** With lines, labels, address, method and variants. */
  getShipment(access: string, id: string): Promise<ApiOutcome<Shipment>>
  listShipments(access: string, query: RecentQuery): Promise<ApiOutcome<readonly Shipment[]>>
  shipmentsOfOrder(access: string, orderReference: string): Promise<ApiOutcome<readonly Shipment[]>>
  /** With the shipment each belongs to. */
  listReturnLabels(access: string, query: RecentQuery): Promise<ApiOutcome<readonly ReturnLabel[]>>
  getReturnLabel(access: string, id: string): Promise<ApiOutcome<ReturnLabel>>
  createReturnLabel(access: string, body: ReturnLabelCreate): Promise<ApiOutcome<ReturnLabel>>
  requestReturnLabel(access: string, id: string): Promise<ApiOutcome<ReturnLabel>>
  /** The PDF behind a signed address, fetched without any credentials. */
  downloadDocument(url: string): Promise<ApiOutcome<Uint8Array>>
}
