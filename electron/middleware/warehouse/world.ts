import type { ExportStatus, ExportFamily } from '#shared/domain/exports.ts'
import type {
  InboundStatus,
  InboundType,
  OrderStatus,
  TransferStatus,
} from '#shared/domain/resource-states.ts'
import type { ModificationReason, ModificationStatus } from '#shared/domain/modification.ts'
import type { WebhookGroup } from '#shared/domain/webhook-topics.ts'
import type { Role, WarehouseRole } from '#shared/wire/roles.ts'

/**
 * The data of the simulated warehouse as plain rows. The demo creates the rows, and the module data/ stores them. Ids
 * are UUIDs, times are in ISO 8601 UTC.
 */
export interface World {
  readonly wmsCode: string
  readonly customers: readonly WorldCustomer[]
  readonly users: readonly WorldUser[]
  readonly shippingMethods: readonly WorldShippingMethod[]
  readonly articles: readonly WorldArticle[]
  readonly variants: readonly WorldVariant[]
  readonly locations: readonly WorldLocation[]
  readonly locationTypes: readonly WorldLocationType[]
  readonly inbounds: readonly WorldInbound[]
  readonly batches: readonly WorldBatch[]
  readonly modifications: readonly WorldModification[]
  readonly bundles: readonly WorldBundle[]
  readonly transfers: readonly WorldTransfer[]
  readonly orders: readonly WorldOrder[]
  readonly shipments: readonly WorldShipment[]
  readonly exports: readonly WorldExport[]
  readonly webhooks: readonly WorldWebhook[]
}

export interface WorldCustomer {
  readonly id: string
  readonly code: string
  readonly name: string
  /** Shipping method of a return label for which the client names no method. Null: the method of its shipment. */
  readonly returnShippingMethodId: string | null
  /** The address of the warehouse for returns, which is printed on every label. */
  readonly returnAddress: WorldAddress
  readonly createdAt: string
}

export interface WorldUser {
  readonly id: string
  readonly username: string
  /** The password in plain text, only for the users of initial data. The database stores a scrypt hash. */
  readonly password: string
  readonly roles: readonly (Role | WarehouseRole)[]
  readonly customerIds: readonly string[]
  /** Access to customer-to-customer transfers, in addition to the roles. Default: no access. */
  readonly transfersGranted?: boolean
  /**
   * Whether the user may call only /warehouse/, for all customers. Default: the user may call everything except
   * /warehouse/.
   */
  readonly isWarehouse?: boolean
}

export interface WorldAddress {
  readonly addressedTo: string
  readonly contactPerson: string | null
  readonly street: string
  readonly street2: string | null
  readonly streetNumber: string
  readonly streetNumberAddition: string | null
  readonly zipcode: string
  readonly city: string
  /** Country code of ISO 3166-1 alpha-2. */
  readonly country: string
  readonly state: string | null
  readonly phoneNumber: string | null
  readonly mobileNumber: string | null
  readonly emailAddress: string | null
}

/** Layout of a carrier's label. `sheet` is A4 with the label in its upper half, `rotated` is 4x6 inch in landscape. */
export type LabelLayout = '4x6' | 'a6' | 'sheet' | 'rotated'

export interface WorldShippingMethod {
  readonly id: string
  readonly code: string
  readonly description: string
  readonly shipper: string
  readonly shipperCode: string
  readonly shippingSoftware: string
  readonly administrationCode: string | null
  /** Key of the simulated carrier (carriers/carriers.ts). */
  readonly carrier: string
  readonly supportsReturnLabels: boolean
  readonly labelLayout: LabelLayout
  readonly createdAt: string
}

export interface WorldArticle {
  readonly id: string
  readonly customerId: string
  readonly name: string
  readonly createdAt: string
}

export interface WorldVariant {
  readonly id: string
  readonly articleId: string
  readonly customerId: string
  readonly articleCode: string
  readonly name: string
  readonly description: string | null
  readonly ean: string | null
  readonly sku: string | null
  readonly hsTariffCode: string | null
  /** Height, depth and width in millimetres, weight in grams. */
  readonly height: number | null
  readonly depth: number | null
  readonly width: number | null
  readonly weight: number | null
  readonly expirable: boolean
  readonly countryOfOrigin: string | null
  readonly usingSerialNumbers: boolean
  /** Value of one piece in euro. */
  readonly value: number | null
  readonly createdAt: string
}

export interface WorldLocation {
  readonly id: string
  readonly code: string
  readonly pickable: boolean
}

export interface WorldBatch {
  readonly id: string
  readonly customerId: string
  readonly variantId: string
  readonly locationId: string
  readonly quantity: number
  /** Expiry date as YYYY-MM-DD. Null: the goods do not expire. */
  readonly expirationDate: string | null
  /** Id of the inbound with which the lot arrived. */
  readonly inboundId: string
  readonly createdAt: string
}

export interface WorldLocationType {
  readonly id: string
  readonly code: string
  readonly name: string
  /** Whether a location of this type is a means of transport for goods, such as a trolley or a cage. */
  readonly transport: boolean
  readonly pickable: boolean
  readonly administrationCode: string | null
  readonly createdAt: string
}

export interface WorldInbound {
  readonly id: string
  readonly customerId: string
  /** Reference, unique within the customer. */
  readonly reference: string
  readonly externalReference: string | null
  readonly isReturn: boolean
  readonly status: InboundStatus
  readonly type: InboundType
  /** Expected day of arrival, as YYYY-MM-DD. */
  readonly inboundDate: string
  readonly note: string | null
  readonly metaData: Readonly<Record<string, string>>
  readonly lines: readonly {
    readonly variantId: string
    readonly quantity: number
    readonly processed: number | null
    readonly packingSlip: number | null
    readonly serialNumbers: readonly string[]
    readonly metaData: Readonly<Record<string, string>>
  }[]
  readonly documents: readonly WorldPaper[]
  readonly qualityControls: readonly WorldQualityControl[]
  readonly createdAt: string
}

/** A document that arrived with goods, or a photograph of them. */
export interface WorldPaper {
  readonly id: string
  readonly title: string
  readonly mimeType: string
  readonly documentType: string
  readonly content: Uint8Array
  readonly createdAt: string
}

export interface WorldQualityControl {
  readonly id: string
  readonly palletCount: string
  readonly wasDeliveryAppointment: boolean
  readonly hadPackingList: boolean
  readonly wasCorrectQuantity: boolean
  readonly hadProperMarkings: boolean
  readonly boxCondition: string
  readonly comments: string
  readonly documents: readonly WorldPaper[]
  readonly createdAt: string
}

export interface WorldBundle {
  readonly id: string
  readonly customerId: string
  /** The variant that represents the bundle. A variant represents at most one bundle. */
  readonly variantId: string
  readonly items: readonly { readonly id: string; readonly variantId: string; readonly quantity: number }[]
  readonly createdAt: string
}

export interface WorldTransfer {
  readonly id: string
  /** Serial number, unique in the WMS. The first transfer has 1. */
  readonly serial: number
  /** Id of the customer who is the source of the transfer. */
  readonly customerId: string
  readonly toCustomerId: string
  readonly externalReference: string
  readonly status: TransferStatus
  readonly cancelNote: string | null
  readonly lines: readonly {
    readonly id: string
    readonly fromVariantId: string
    /** Id of the destination's variant. */
    readonly toVariantId: string
    readonly quantity: number
    readonly finalizedQuantity: number
  }[]
  readonly createdAt: string
}

/** A correction of the stock. Its reference is `MOD` with eleven digits, unique in the WMS. */
export interface WorldModification {
  readonly id: string
  readonly customerId: string
  readonly reference: string
  readonly reason: ModificationReason
  readonly status: ModificationStatus
  readonly note: string
  readonly lines: readonly {
    readonly variantId: string
    readonly locationId: string
    readonly quantity: number
  }[]
  readonly createdAt: string
  readonly modifiedAt: string
}

/** An order. Its reference is `ORD` with eleven digits, unique in the WMS. */
export interface WorldOrder {
  readonly id: string
  readonly customerId: string
  readonly reference: string
  /** The external reference and the external id are both unique within the customer. */
  readonly externalId: string | null
  readonly externalReference: string
  readonly poNumber: string | null
  readonly status: OrderStatus
  /** Requested delivery day, as YYYY-MM-DD. */
  readonly requestedDeliveryDate: string
  readonly partialDelivery: boolean
  readonly businessToBusiness: boolean
  readonly appliedBusinessRules: boolean | null
  readonly shippingMethodId: string | null
  readonly shippingAddress: Omit<WorldAddress, 'zipcode' | 'streetNumber'> & {
    readonly zipcode: string | null
    readonly streetNumber: string | null
  }
  readonly addressInvalid: boolean
  readonly incoTerms: 'DAP' | 'DDP' | null
  readonly eoriNumber: string | null
  readonly vatNumber: string | null
  /** Amount of the order in cents. */
  readonly orderAmount: number | null
  readonly currency: string | null
  readonly note: string | null
  readonly customerNote: string | null
  readonly language: string | null
  readonly metaData: Readonly<Record<string, string>>
  readonly lines: readonly {
    readonly variantId: string
    readonly quantity: number
    readonly description: string
    readonly price: number | null
    readonly processed: number
    readonly packingSlip: number
    readonly serialNumbers: readonly string[]
    readonly metaData: Readonly<Record<string, string>>
  }[]
  readonly documents: readonly {
    readonly id: string
    readonly title: string
    readonly content: Uint8Array
    readonly mimeType: string
    readonly quantity: number
    readonly isShippingLabel: boolean
    /** Price in cents. */
    readonly orderPrice: number | null
    readonly labelType: string | null
  }[]
  readonly createdAt: string
  readonly modifiedAt: string
}

/**
 * An export that a client requested. If its status is `created`, the middleware writes its file when the middleware
 * starts.
 */
export interface WorldExport {
  readonly id: string
  readonly customerId: string
  readonly family: ExportFamily
  readonly type: string
  readonly status: Exclude<ExportStatus, 'processing' | 'completed'>
  readonly createdAt: string
}

/** A client's address for notifications of an event. */
export interface WorldWebhook {
  readonly id: string
  readonly customerId: string
  readonly url: string
  readonly group: WebhookGroup
  readonly action: string
  readonly hashSecret: string
  readonly createdAt: string
}

export interface WorldShipment {
  readonly id: string
  readonly customerId: string
  readonly reference: string
  readonly poNumber: string | null
  readonly orderExternalReference: string
  readonly shipmentExternalReference: string | null
  readonly shippingMethodId: string
  readonly shippingAddress: WorldAddress
  readonly labels: readonly { labelCode: string; trackingCode: string; trackingUrl: string }[]
  readonly lines: readonly { variantId: string; quantity: number; serialNumbers: readonly string[] }[]
  readonly createdAt: string
}
