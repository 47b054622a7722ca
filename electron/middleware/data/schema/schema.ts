import type { ClientTables } from './clients.ts'
import type { GoodsTables } from './goods.ts'
import type { OrderTables } from './orders.ts'

/**
 * All tables with their columns as the database returns them. Booleans are 0 or 1, times are `YYYY-MM-DDTHH:MM:SS.mmmZ`
 * (so that text order is time order) and structures are JSON text. So the driver needs no conversions.
 */
export interface Schema extends ClientTables, GoodsTables, OrderTables {}

/** Stored in a database as its `user_version`. A change of `schemaSql` needs the next number. */
export const schemaVersion = 2

/** All tables, each group with its indexes and triggers. This file is long because it is the whole schema. */
export const schemaSql = `
-- Values of which there is one, and sequences behind references.
create table meta (
  key text primary key,
  value text not null
);
create table counters (
  name text primary key,
  value integer not null
);

-- Who may call, and on whose behalf.
create table customers (
  id text primary key,
  code text not null unique,
  name text not null,
  return_shipping_method_id text,
  return_address text not null,
  created_at text not null,
  modified_at text not null
);
create table users (
  id text primary key,
  username text not null unique,
  password_hash text not null,
  user_type text not null,
  roles text not null,
  transfers_granted integer not null
);
create table user_customers (
  user_id text not null references users (id),
  customer_id text not null references customers (id),
  primary key (user_id, customer_id)
);
-- A login ends together with its user, and its refresh tokens with it.
create table logins (
  hash text primary key,
  user_id text not null references users (id) on delete cascade,
  expires_at text not null
);
create table refresh_tokens (
  hash text primary key,
  user_id text not null references users (id),
  login text not null references logins (hash) on delete cascade,
  expires_at text not null,
  used_at text
);
create table redactions (
  id text primary key,
  customer_id text not null references customers (id),
  email text not null,
  created_at text not null
);
create index logins_by_user on logins (user_id);
create index logins_by_end on logins (expires_at);
create index refresh_tokens_by_login on refresh_tokens (login);

-- Articles, variants and bundles.
create table articles (
  id text primary key,
  customer_id text not null references customers (id),
  name text not null,
  created_at text not null,
  modified_at text not null,
  deleted_at text
);
create table variants (
  id text primary key,
  article_id text not null references articles (id),
  customer_id text not null references customers (id),
  article_code text not null,
  name text not null,
  description text,
  ean text,
  sku text,
  hs_tariff_code text,
  height real,
  depth real,
  width real,
  weight real,
  expirable integer not null,
  country_of_origin text,
  using_serial_numbers integer not null,
  value real,
  created_at text not null,
  modified_at text not null,
  stock_modified_at text not null,
  deleted_at text
);
create table variant_bundles (
  id text primary key,
  customer_id text not null references customers (id),
  variant_id text not null unique references variants (id),
  created_at text not null,
  modified_at text not null
);
create table variant_bundle_items (
  id text primary key,
  bundle_id text not null references variant_bundles (id),
  position integer not null,
  variant_id text not null references variants (id),
  quantity integer not null,
  unique (bundle_id, position)
);
create index articles_by_name on articles (customer_id, name, id);
create index articles_by_created_at on articles (customer_id, created_at, id);
create unique index variants_living_article_code on variants (customer_id, article_code) where deleted_at is null;
create index variants_by_id on variants (customer_id, id);
create index variants_by_name on variants (customer_id, name, id);
create index variants_by_created_at on variants (customer_id, created_at, id);
create index variants_by_modified_at on variants (customer_id, modified_at, id);
create index variants_by_stock_modified_at on variants (customer_id, stock_modified_at, id);
create index variants_by_ean on variants (customer_id, ean);
create index variants_by_sku on variants (customer_id, sku);
create index variants_by_article on variants (article_id, name, id);
create index variant_bundles_by_created_at on variant_bundles (customer_id, created_at, id);

-- PDFs and other papers. Clients have a limit on what they send with orders; labels and papers of the service do not count.
create table documents (
  id text primary key,
  customer_id text not null references customers (id),
  content blob not null,
  title text not null,
  mime_type text not null,
  document_type text not null,
  created_at text not null
);
create table document_storage (
  customer_id text primary key,
  bytes integer not null
);
create trigger document_stored after insert on documents
when new.document_type in ('order_document', 'shipping_label') begin
  insert into document_storage values (new.customer_id, octet_length(new.content))
    on conflict (customer_id) do update set bytes = bytes + excluded.bytes;
end;
create trigger document_deleted after delete on documents
when old.document_type in ('order_document', 'shipping_label') begin
  update document_storage set bytes = bytes - octet_length(old.content) where customer_id = old.customer_id;
end;

-- Goods that come in. A document that is deleted disappears from inbounds and quality controls.
create table inbounds (
  id text primary key,
  customer_id text not null references customers (id),
  reference text not null,
  external_reference text,
  is_return integer not null,
  status text not null,
  type text not null,
  inbound_date text not null,
  note text,
  meta_data text not null,
  created_at text not null,
  modified_at text not null,
  unique (customer_id, reference)
);
create table inbound_lines (
  inbound_id text not null references inbounds (id),
  position integer not null,
  variant_id text not null references variants (id),
  quantity integer not null,
  processed integer,
  packing_slip integer,
  serial_numbers text not null,
  meta_data text not null,
  primary key (inbound_id, position)
);
create table inbound_documents (
  inbound_id text not null references inbounds (id),
  document_id text not null references documents (id) on delete cascade,
  primary key (inbound_id, document_id)
);
create table quality_controls (
  id text primary key,
  inbound_id text not null references inbounds (id),
  pallet_count text not null,
  was_delivery_appointment integer not null,
  had_packing_list integer not null,
  was_correct_quantity integer not null,
  had_proper_markings integer not null,
  box_condition text not null,
  comments text not null,
  created_at text not null
);
create table quality_control_documents (
  quality_control_id text not null references quality_controls (id),
  document_id text not null references documents (id) on delete cascade,
  primary key (quality_control_id, document_id)
);
create index inbounds_by_created_at on inbounds (customer_id, created_at, id);
create index inbounds_by_modified_at on inbounds (customer_id, modified_at, id);
create index inbounds_by_inbound_date on inbounds (customer_id, inbound_date, id);
create index inbounds_by_status on inbounds (customer_id, status, id);
create index inbounds_by_due on inbounds (status, modified_at, reference);
create index inbound_documents_by_document on inbound_documents (document_id);
create index quality_controls_by_inbound on quality_controls (inbound_id, created_at, id);
create index quality_control_documents_by_document on quality_control_documents (document_id);

-- Locations, and the lots that lie there.
create table locations (
  id text primary key,
  code text not null unique,
  pickable integer not null
);
create table location_types (
  id text primary key,
  code text not null unique,
  name text not null,
  transport integer not null,
  pickable integer not null,
  administration_code text,
  created_at text not null
);
create table batches (
  id text primary key,
  customer_id text not null references customers (id),
  variant_id text not null references variants (id),
  location_id text not null references locations (id),
  quantity integer not null,
  expiration_date text,
  inbound_id text references inbounds (id),
  created_at text not null
);
create index batches_by_id on batches (customer_id, id);
create index batches_by_created_at on batches (customer_id, created_at, id);
create index batches_by_variant on batches (variant_id, id);
create index batches_by_location on batches (location_id, quantity);

-- Corrections of stock, and stock that changes hands between customers.
create table modifications (
  id text primary key,
  customer_id text not null references customers (id),
  reference text not null unique,
  reason text not null,
  status text not null,
  note text not null,
  created_at text not null,
  modified_at text not null
);
create table modification_lines (
  modification_id text not null references modifications (id),
  position integer not null,
  variant_id text not null references variants (id),
  location_id text not null references locations (id),
  quantity integer not null,
  primary key (modification_id, position)
);
create table transfers (
  id text primary key,
  serial integer not null unique,
  customer_id text not null references customers (id),
  to_customer_id text not null references customers (id),
  external_reference text not null,
  status text not null,
  cancel_note text,
  created_at text not null,
  modified_at text not null
);
create table transfer_lines (
  id text primary key,
  transfer_id text not null references transfers (id),
  position integer not null,
  from_variant_id text not null references variants (id),
  to_variant_id text not null references variants (id),
  quantity integer not null,
  finalized_quantity integer not null,
  unique (transfer_id, position)
);
create index modifications_by_reference on modifications (customer_id, reference, id);
create index modifications_by_created_at on modifications (customer_id, created_at, id);
create index modifications_by_status on modifications (customer_id, status, reference, id);
create index modifications_by_due on modifications (status, created_at, reference);
create index transfers_by_serial on transfers (customer_id, serial, id);
create index transfers_by_created_at on transfers (customer_id, created_at, id);
create index transfers_by_due on transfers (status, modified_at, serial);

-- Orders, and how they leave.
create table shipping_methods (
  id text primary key,
  code text not null unique,
  description text not null,
  shipper text not null,
  shipper_code text not null,
  shipping_software text not null,
  administration_code text,
  carrier text not null,
  supports_return_labels integer not null,
  label_layout text not null,
  created_at text not null,
  modified_at text not null
);
create table orders (
  id text primary key,
  customer_id text not null references customers (id),
  reference text not null unique,
  external_id text,
  external_reference text not null,
  po_number text,
  status text not null,
  requested_delivery_date text not null,
  partial_delivery integer not null,
  business_to_business integer not null,
  applied_business_rules integer,
  shipping_method_id text references shipping_methods (id),
  shipping_email text,
  shipping_contactperson text,
  shipping_address text not null,
  address_invalid integer not null,
  inco_terms text,
  ioss_number text,
  eori_number text,
  vat_number text,
  inbound_vat_number text,
  inbound_eori_number text,
  order_amount integer,
  assured_amount integer,
  currency text,
  note text,
  customer_note text,
  language text,
  meta_data text not null,
  created_at text not null,
  modified_at text not null,
  unique (customer_id, external_id),
  unique (customer_id, external_reference)
);
create table order_lines (
  order_id text not null references orders (id),
  position integer not null,
  variant_id text not null references variants (id),
  quantity integer not null,
  description text not null,
  price real,
  processed integer not null,
  packing_slip integer not null,
  serial_numbers text not null,
  meta_data text not null,
  primary key (order_id, position)
);
create table order_documents (
  order_id text not null references orders (id),
  position integer not null,
  document_id text not null references documents (id),
  quantity integer not null,
  is_shipping_label integer not null,
  order_price integer,
  label_type text,
  primary key (order_id, position)
);
create index orders_by_created_at on orders (customer_id, created_at, id);
create index orders_by_modified_at on orders (customer_id, modified_at, id);
create index orders_by_delivery_date on orders (customer_id, requested_delivery_date, id);
create index orders_by_status on orders (customer_id, status, id);
create index orders_by_status_and_time on orders (customer_id, status, created_at, id);
create index orders_by_due on orders (status, modified_at, reference);
create index order_lines_by_variant on order_lines (variant_id, order_id);
create index order_documents_by_document on order_documents (document_id);

-- Shipments and return labels. A cancelled label gives its external reference back.
create table shipments (
  id text primary key,
  customer_id text not null references customers (id),
  reference text not null unique,
  po_number text,
  order_id text references orders (id),
  order_external_reference text not null,
  shipment_external_reference text,
  shipping_method_id text not null references shipping_methods (id),
  shipping_address text not null,
  labels text not null,
  created_at text not null,
  modified_at text not null
);
create table shipment_lines (
  shipment_id text not null references shipments (id),
  position integer not null,
  variant_id text not null references variants (id),
  quantity integer not null,
  serial_numbers text not null,
  primary key (shipment_id, position)
);
create table shipment_documents (
  shipment_id text primary key references shipments (id),
  document_id text not null references documents (id)
);
create table shipped_serials (
  variant_id text not null references variants (id),
  serial text not null,
  shipment_id text not null,
  primary key (variant_id, serial)
) without rowid;
create table return_labels (
  id text primary key,
  serial integer not null unique,
  customer_id text not null references customers (id),
  external_reference text not null,
  state text not null,
  shipment_id text references shipments (id),
  shipping_method_id text not null references shipping_methods (id),
  sender_address text not null,
  tracking text not null,
  document_id text references documents (id),
  created_at text not null,
  modified_at text not null
);
create index shipments_by_reference on shipments (customer_id, reference, id);
create index shipments_by_created_at on shipments (customer_id, created_at, id);
create index shipments_by_order_external_reference on shipments (customer_id, order_external_reference, id);
create index shipments_by_order on shipments (order_id);
create index shipments_untracked on shipments (created_at, reference) where labels = '[]' and order_id is not null;
create index shipment_documents_by_document on shipment_documents (document_id);
create unique index return_labels_living_reference on return_labels (customer_id, external_reference)
  where state <> 'cancelled';
create index return_labels_by_serial on return_labels (customer_id, serial, id);
create index return_labels_by_created_at on return_labels (customer_id, created_at, id);
create index return_labels_by_shipment on return_labels (shipment_id, serial);
create index return_labels_by_document on return_labels (document_id);

-- The stock ledger: what changed lots, and what orders speak for.
create table stock_entries (
  id integer primary key autoincrement,
  variant_id text not null references variants (id),
  batch_id text references batches (id),
  order_id text references orders (id),
  pieces integer not null,
  kind text not null,
  cause_id text,
  created_at text not null,
  check ((batch_id is null) <> (order_id is null))
);
create table reservations (
  order_id text not null references orders (id),
  variant_id text not null references variants (id),
  pieces integer not null check (pieces > 0),
  primary key (order_id, variant_id)
);
create index stock_entries_by_variant_id on stock_entries (variant_id);
create index stock_entries_by_batch_id on stock_entries (batch_id);
create index stock_entries_by_order_id on stock_entries (order_id);
create index reservations_by_variant on reservations (variant_id);

-- What waits for the warehouse, and its calls.
create table warehouse_work (
  sequence integer primary key autoincrement,
  kind text not null,
  customer_id text not null references customers (id),
  entity_id text not null,
  created_at text not null
);
create table warehouse_calls (
  user_id text not null references users (id) on delete cascade,
  key text not null,
  fingerprint text not null,
  answer text not null,
  created_at text not null,
  primary key (user_id, key)
);
create index warehouse_calls_by_created_at on warehouse_calls (created_at);

-- Exports. Triggers keep the size of each file: they also count parts that are deleted with something else.
create table exports (
  id text primary key,
  customer_id text not null references customers (id),
  family text not null,
  type text not null,
  filters text not null,
  fields text not null,
  status text not null,
  created_at text not null,
  modified_at text not null,
  bytes integer not null default 0,
  failure text
);
create table export_parts (
  export_id text not null references exports (id),
  position integer not null,
  content text not null,
  primary key (export_id, position)
);
create index exports_by_created_at on exports (customer_id, created_at, id);
create index exports_by_status on exports (status, created_at, id);
create index exports_with_file on exports (customer_id, modified_at, id, bytes) where bytes > 0;
create trigger export_part_stored after insert on export_parts begin
  update exports set bytes = bytes + octet_length(new.content) where id = new.export_id;
end;
create trigger export_part_deleted after delete on export_parts begin
  update exports set bytes = bytes - octet_length(old.content) where id = old.export_id;
end;

-- Webhooks and their events. Customers have a limit on what events take; 500 bytes are for the row of a delivery, its index
-- entries and its log. Triggers also count events that are deleted with something else. A webhook that is deleted stays,
-- seen by nobody, until its deliveries are gone.
create table webhooks (
  id text primary key,
  customer_id text not null references customers (id),
  url text not null,
  topic_group text not null,
  topic_action text not null,
  hash_secret text not null,
  created_at text not null,
  modified_at text not null,
  replayed_at text,
  deleted_at text
);
create table events (
  id text primary key,
  customer_id text not null references customers (id),
  topic_group text not null,
  topic_action text not null,
  entity_id text not null,
  content text not null,
  created_at text not null,
  deliveries integer not null,
  bytes integer not null generated always as (octet_length(content) + 500 * deliveries)
);
-- Changes of large units: their events and deliveries are written after the transaction that made them.
create table event_portions (
  id integer primary key autoincrement,
  customer_id text not null references customers (id),
  topic_group text not null,
  topic_action text not null,
  webhook_ids text not null,
  changes text not null,
  created_at text not null
);
create table event_storage (
  customer_id text primary key,
  bytes integer not null
);
create table deliveries (
  id integer primary key autoincrement,
  webhook_id text not null references webhooks (id) on delete cascade,
  event_id text not null references events (id) on delete cascade,
  entity_id text not null,
  state text not null,
  attempts integer not null,
  next_at text,
  created_at text not null
);
create table delivery_attempts (
  id integer primary key autoincrement,
  delivery_id integer not null references deliveries (id) on delete cascade,
  started_at text not null,
  duration_ms integer not null,
  status integer,
  failure text
);
create index webhooks_by_created_at on webhooks (customer_id, created_at, id);
create index webhooks_by_topic on webhooks (customer_id, topic_group, topic_action);
create index webhooks_deleted on webhooks (deleted_at, id) where deleted_at is not null;
create index events_by_entity on events (entity_id);
create index events_by_created_at on events (created_at);
create index events_by_customer on events (customer_id, created_at, id);
create index event_portions_by_customer on event_portions (customer_id, id);
create index deliveries_by_webhook on deliveries (webhook_id, created_at, id);
create index deliveries_by_event on deliveries (event_id);
-- Of what is pending alone: they stay small, however much was delivered.
create index deliveries_waiting on deliveries (webhook_id, next_at, id) where state = 'pending';
create index deliveries_of_entity on deliveries (webhook_id, entity_id, id) where state = 'pending';
create index deliveries_due on deliveries (next_at, webhook_id) where state = 'pending';
create index delivery_attempts_by_delivery on delivery_attempts (delivery_id);
create trigger event_stored after insert on events begin
  insert into event_storage values (new.customer_id, new.bytes)
    on conflict (customer_id) do update set bytes = bytes + excluded.bytes;
end;
create trigger event_deleted after delete on events begin
  update event_storage set bytes = bytes - old.bytes where customer_id = old.customer_id;
end;
`
