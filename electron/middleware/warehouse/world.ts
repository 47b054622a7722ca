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

/** The simulated warehouse as plain rows: what the demo makes and data/ stores. Ids are UUIDs, times ISO 8601 UTC. */
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
  /** Method of a return label made from a shipment without naming one; null: the shipment's own method. */
  readonly returnShippingMethodId: string | null
  /** Where returns go: printed on every label. */
  readonly returnAddress: WorldAddress
  readonly createdAt: string
}

export interface WorldUser {
  readonly id: string
  readonly username: string
  /** In the clear: hashed with scrypt when stored. Demo users only. */
  readonly password: string
  readonly roles: readonly (Role | WarehouseRole)[]
  readonly customerIds: readonly string[]
  /** Access to customer-to-customer transfers, granted beside the roles; left out: none. */
  readonly transfersGranted?: boolean
  /** Calls /warehouse/ alone, for all customers; left out: calls all else. */
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
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  readonly state: string | null
  readonly phoneNumber: string | null
  readonly mobileNumber: string | null
  readonly emailAddress: string | null
}

/** Layout of a carrier's label; `sheet` is A4 with the label in its upper half, `rotated` 4x6 inch on its side. */
export type LabelLayout = '4x6' | 'a6' | 'sheet' | 'rotated'

export interface WorldShippingMethod {
  readonly id: string
  readonly code: string
  readonly description: string
  readonly shipper: string
  readonly shipperCode: string
  readonly shippingSoftware: string
  readonly administrationCode: string | null
  /** Key of its simulated carrier (carriers/carriers.ts). */
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
  /** Millimetres and grams. */
  readonly height: number | null
  readonly depth: number | null
  readonly width: number | null
  readonly weight: number | null
  readonly expirable: boolean
  readonly countryOfOrigin: string | null
  readonly usingSerialNumbers: boolean
  /** Euro. */
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
  /** YYYY-MM-DD or null for goods that do not expire. */
  readonly expirationDate: string | null
  /** The inbound the lot came with, of the same customer. */
  readonly inboundId: string
  readonly createdAt: string
}

export interface WorldLocationType {
  readonly id: string
  readonly code: string
  readonly name: string
  /** Goods move in it: a trolley, a cage. */
  readonly transport: boolean
  readonly pickable: boolean
  readonly administrationCode: string | null
  readonly createdAt: string
}

export interface WorldInbound {
  readonly id: string
  readonly customerId: string
  /** Unique within the customer. */
  readonly reference: string
  readonly externalReference: string | null
  readonly isReturn: boolean
  readonly status: InboundStatus
  readonly type: InboundType
  /** YYYY-MM-DD. */
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

/** A paper that came with goods, or a photograph of them. */
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
  /** The variant that stands for the whole: of one bundle at most. */
  readonly variantId: string
  readonly items: readonly { readonly id: string; readonly variantId: string; readonly quantity: number }[]
  readonly createdAt: string
}

export interface WorldTransfer {
  readonly id: string
  /** Unique in the WMS, from 1 on. */
  readonly serial: number
  /** The source. */
  readonly customerId: string
  readonly toCustomerId: string
  readonly externalReference: string
  readonly status: TransferStatus
  readonly cancelNote: string | null
  readonly lines: readonly {
    readonly id: string
    readonly fromVariantId: string
    /** Of the destination. */
    readonly toVariantId: string
    readonly quantity: number
    readonly finalizedQuantity: number
  }[]
  readonly createdAt: string
}

/** A correction of the stock; its reference is `MOD` and eleven digits, unique in the WMS. */
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

/** An order; its reference is `ORD` and eleven digits, unique in the WMS. */
export interface WorldOrder {
  readonly id: string
  readonly customerId: string
  readonly reference: string
  /** Both unique within the customer. */
  readonly externalId: string | null
  readonly externalReference: string
  readonly poNumber: string | null
  readonly status: OrderStatus
  /** YYYY-MM-DD. */
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
  /** Cents. */
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
    /** Cents. */
    readonly orderPrice: number | null
    readonly labelType: string | null
  }[]
  readonly createdAt: string
  readonly modifiedAt: string
}

/** An export that a client asked for; one that is `created` is written when the middleware starts. */
export interface WorldExport {
  readonly id: string
  readonly customerId: string
  readonly family: ExportFamily
  readonly type: string
  readonly status: Exclude<ExportStatus, 'processing' | 'completed'>
  readonly createdAt: string
}

/** Where a client wants to be told of an event. */
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
