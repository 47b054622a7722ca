import type {
  CounterTable,
  CustomerTable,
  MetaTable,
  RedactionTable,
  LoginTable,
  RefreshTokenTable,
  UserCustomerTable,
  UserTable,
} from './access.ts'
import type {
  DeliveryAttemptTable,
  DeliveryTable,
  EventStorageTable,
  EventTable,
  ExportPartTable,
  ExportTable,
  WebhookTable,
} from './clients.ts'
import type {
  ArticleTable,
  BatchTable,
  LocationTable,
  LocationTypeTable,
  VariantBundleItemTable,
  VariantBundleTable,
  VariantTable,
} from './goods.ts'
import type {
  InboundDocumentTable,
  InboundLineTable,
  InboundTable,
  ModificationLineTable,
  ModificationTable,
  QualityControlDocumentTable,
  QualityControlTable,
  TransferLineTable,
  TransferTable,
} from './moves.ts'
import type { OrderDocumentTable, OrderLineTable, OrderTable } from './orders.ts'
import type {
  DocumentStorageTable,
  DocumentTable,
  ReturnLabelTable,
  ShipmentDocumentTable,
  ShipmentLineTable,
  ShipmentTable,
  ShippedSerialTable,
  ShippingMethodTable,
} from './shipments.ts'
import type {
  ReservationTable,
  StockEntryTable,
  WarehouseCallTable,
  WarehouseWorkTable,
} from './warehouse.ts'

/**
 * Every table, as its columns read back. Booleans are 0 or 1, times are `YYYY-MM-DDTHH:MM:SS.mmmZ` (so that text order
 * is time order) and structures are JSON text: neither engine's driver then needs a conversion of its own.
 */
export interface Schema {
  meta: MetaTable
  counters: CounterTable
  customers: CustomerTable
  users: UserTable
  user_customers: UserCustomerTable
  logins: LoginTable
  refresh_tokens: RefreshTokenTable
  shipping_methods: ShippingMethodTable
  articles: ArticleTable
  variants: VariantTable
  locations: LocationTable
  location_types: LocationTypeTable
  inbounds: InboundTable
  inbound_lines: InboundLineTable
  inbound_documents: InboundDocumentTable
  quality_controls: QualityControlTable
  quality_control_documents: QualityControlDocumentTable
  variant_bundles: VariantBundleTable
  variant_bundle_items: VariantBundleItemTable
  transfers: TransferTable
  transfer_lines: TransferLineTable
  batches: BatchTable
  modifications: ModificationTable
  modification_lines: ModificationLineTable
  orders: OrderTable
  order_lines: OrderLineTable
  order_documents: OrderDocumentTable
  shipments: ShipmentTable
  shipment_lines: ShipmentLineTable
  shipment_documents: ShipmentDocumentTable
  shipped_serials: ShippedSerialTable
  redactions: RedactionTable
  return_labels: ReturnLabelTable
  documents: DocumentTable
  document_storage: DocumentStorageTable
  exports: ExportTable
  export_parts: ExportPartTable
  webhooks: WebhookTable
  events: EventTable
  event_storage: EventStorageTable
  deliveries: DeliveryTable
  delivery_attempts: DeliveryAttemptTable
  stock_entries: StockEntryTable
  reservations: ReservationTable
  warehouse_work: WarehouseWorkTable
  warehouse_calls: WarehouseCallTable
}
