import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Route, routes } from '#shared/wire/routes.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'
import { smallGoods } from '#support/small-goods.ts'
import { smallIds } from '#support/small-world.ts'

/**
 * Samples of a field: its value for a create, another value for a change, and the part of a response that shows a
 * value.
 */
interface Sample {
  readonly created: unknown
  readonly changed?: unknown
  readonly shown?: (value: never) => object
}

interface Resource {
  readonly create: Route
  /** If the body has several forms: the index of the form that contains the fields. */
  readonly form?: number
  readonly change?: Route
  readonly get: Route
  readonly expand?: string
  readonly fields: Readonly<Record<string, Sample>>
}

const field = (created: unknown, changed?: unknown, shown?: Sample['shown']): Sample => ({
  created,
  ...(changed !== undefined && { changed }),
  ...(shown && { shown }),
})
/** For an input field that no response contains: the test expects no field in the response. */
const hidden = (): object => ({})
const midnight = (day: string): string => `${day}T00:00:00+00:00`

interface SentLine {
  readonly article_code: string
}
const shownLine = ({ article_code, ...line }: SentLine): object => ({ variant: { article_code }, ...line })
const lines = (name: string) => (sent: readonly SentLine[]) => ({ [name]: sent.map(shownLine) })
const stockLine = (variant: string, location: string, quantity: number): object => ({
  variant,
  location,
  quantity,
})

const variantFields = {
  article_code: field('FIELD-1', 'FIELD-2'),
  name: field('First', 'Second'),
  description: field('A first text', 'A second text'),
  ean: field('8712345678906', '4006381333931'),
  sku: field('SKU-1', 'SKU-2'),
  hs_tariff_code: field('61091000', '62044200'),
  height: field(1.5, 2.5),
  depth: field(11, 12),
  width: field(21, 22),
  weight: field(31, 32),
  expirable: field(true, false),
  country_of_origin: field('DE', 'PT'),
  using_serial_numbers: field(true, false),
  value: field(9.95, 10),
}
const variantInArticle = {
  ...Object.fromEntries(Object.entries(variantFields).map(([name, { created }]) => [name, created])),
  article_code: 'FIELD-3',
}

const address = {
  addressed_to: 'Kim de Wit',
  contact_person: 'Robin',
  street: 'Kade',
  street2: 'Hof',
  street_number: '7',
  street_number_addition: 'b',
  zipcode: '3511 AA',
  city: 'Utrecht',
  country: 'NL',
  state: 'UT',
  phone_number: '+31301234567',
  mobile_number: '+31612345678',
  fax_number: '+31301234568',
  email_address: 'kim@shop.example',
}
const otherAddress = {
  addressed_to: 'Noor Jansen',
  contact_person: 'Sam',
  street: 'Laan',
  street2: 'Poort',
  street_number: '8',
  street_number_addition: 'c',
  zipcode: '9000',
  city: 'Gent',
  country: 'BE',
  state: 'OV',
  phone_number: '+3291234567',
  mobile_number: '+32470123456',
  fax_number: '+3291234568',
  email_address: 'noor@shop.example',
}
const orderLine = {
  article_code: 'A-1',
  quantity: 3,
  description: 'Red shirt',
  price: 9.95,
  packing_slip: 2,
  meta_data: { colour: 'red' },
}
const orderDocument = {
  title: 'invoice.pdf',
  quantity: 2,
  is_shipping_label: true,
  order_price: 1250,
  label_type: smallIds.standard,
}

const resources: Readonly<Record<string, Resource>> = {
  variant: {
    create: routes.createVariant,
    change: routes.patchVariant,
    get: routes.getVariant,
    expand: 'article',
    fields: {
      ...variantFields,
      article: field(smallGoods.tea, smallGoods.shirt, (id: string) => ({ article: { id } })),
    },
  },
  article: {
    create: routes.createArticle,
    form: 0,
    change: routes.patchArticle,
    get: routes.getArticle,
    fields: { name: field('First', 'Second'), variants: field([variantInArticle]) },
  },
  bundle: {
    create: routes.createBundle,
    change: routes.patchBundle,
    get: routes.getBundle,
    expand: 'variant_bundle_items',
    fields: {
      variant_bundle: field('A-2', undefined, (article_code: string) => ({
        bundled_variant: { article_code },
      })),
      variant_bundle_items: field(
        [{ article_code: 'A-1', quantity: 2 }],
        [{ article_code: 'A-0', quantity: 3 }],
        lines('variant_bundle_items'),
      ),
    },
  },
  inbound: {
    create: routes.createInbound,
    change: routes.patchInbound,
    get: routes.getInbound,
    expand: 'meta_data,inbound_line_meta_data',
    fields: {
      external_reference: field('PO-10', 'PO-11'),
      inbound_date: field('2026-06-20', '2026-06-21', (day: string) => ({ inbound_date: midnight(day) })),
      inbound_lines: field(
        [{ article_code: 'A-1', quantity: 5, packing_slip: 6, meta_data: { pallet: 'p1' } }],
        [{ article_code: 'A-0', quantity: 7, packing_slip: 8, meta_data: { pallet: 'p2' } }],
        lines('inbound_lines'),
      ),
      note: field('First note', 'Second note'),
      meta_data: field({ container: 'c1' }, { container: 'c2' }),
    },
  },
  order: {
    create: routes.createOrder,
    change: routes.patchOrder,
    get: routes.getOrder,
    expand: 'shipping_address,order_lines,documents,meta_data,order_line_meta_data',
    fields: {
      customer: field(smallIds.alder, smallIds.alder),
      external_id: field('EXT-1', 'EXT-2'),
      external_reference: field('WEB-10', 'WEB-11'),
      po_number: field('P-1', 'P-2'),
      order_lines: field(
        [orderLine],
        [
          {
            ...orderLine,
            ...{ article_code: 'A-0', quantity: 5, description: 'Tea', price: 2, packing_slip: 4 },
            meta_data: { colour: 'green' },
          },
        ],
        lines('order_lines'),
      ),
      documents: field(
        [{ ...orderDocument, file: 'JVBERi0=', shipping_label: true, orderPrice: 1250 }],
        undefined,
        () => ({ documents: [orderDocument] }),
      ),
      requested_delivery_date: field('2026-06-10', '2026-06-11', (day: string) => ({
        requested_delivery_date: midnight(day),
      })),
      shipping_method: field(smallIds.standard, smallIds.express),
      shipping_email: field('a@shop.example', 'b@shop.example'),
      shipping_contactperson: field('Kim', 'Noor'),
      shipping_address: field({ ...address, invalid: false }, { ...otherAddress, invalid: true }),
      inco_terms: field('DAP', 'DDP'),
      incoterms: field('DAP', 'DAP', (inco_terms: string) => ({ inco_terms })),
      ioss_number: field('IM1', 'IM2'),
      eori_number: field('NL1', 'NL2'),
      vat_number: field('NL3', 'NL4'),
      inbound_vat_number: field('NL5', 'NL6'),
      inbound_eori_number: field('NL7', 'NL8'),
      order_amount: field(1999, 2999),
      assured_amount: field(100, 200),
      currency: field('EUR', 'USD'),
      note: field('First note', 'Second note'),
      customer_note: field('First wish', 'Second wish'),
      language: field('nl', 'de'),
      meta_data: field({ channel: 'web' }, { channel: 'shop' }),
    },
  },
  'return label': {
    create: routes.createReturnLabel,
    form: 1,
    change: routes.patchReturnLabel,
    get: routes.getReturnLabel,
    fields: {
      shipping_method: field(smallIds.standard, smallIds.express, hidden),
      sender_address: field(address, otherAddress),
      external_reference: field('RMA-1', 'RMA-2'),
    },
  },
  modification: {
    create: routes.createModification,
    get: routes.getModification,
    expand: 'modification_lines,variant,location',
    fields: {
      note: field('Counted'),
      reason: field('DEFECTIVE'),
      modification_lines: field(
        [stockLine(smallGoods.shirtRed, smallGoods.shelf, -1)],
        undefined,
        (sent: readonly { variant: string; location: string; quantity: number }[]) => ({
          modification_lines: sent.map(({ variant, location, quantity }) => ({
            variant: { id: variant },
            location: { id: location },
            quantity,
          })),
        }),
      ),
    },
  },
  transfer: {
    create: routes.createTransfer,
    change: routes.patchTransfer,
    get: routes.getTransfer,
    expand: 'customer_to_customer_transfer_lines,variant',
    fields: {
      customer: field(smallIds.alder, undefined, hidden),
      to_customer: field(smallIds.birch),
      external_reference: field('TR-10', 'TR-11'),
      customer_to_customer_transfer_lines: field(
        [{ article_code: 'A-1', quantity: 1 }],
        undefined,
        (sent: readonly { quantity: number }[]) => ({
          customer_to_customer_transfer_lines: sent.map(({ quantity }) => ({
            from_variant: { id: smallGoods.shirtRed },
            quantity,
          })),
        }),
      ),
    },
  },
  export: {
    create: routes.createExport,
    get: routes.getExport,
    fields: {
      type: field('stock'),
      filters: field({ search: 'A-1', from: '2026-01-01', to: '2026-02-01' }),
      fields: field(['article_code']),
    },
  },
  webhook: {
    create: routes.createWebhook,
    change: routes.patchWebhook,
    get: routes.getWebhook,
    fields: {
      url: field('https://a.example/', 'https://b.example/'),
      group: field('inbound', 'order'),
      action: field('updated', 'created'),
      hash_secret: field('secret', undefined, hidden),
    },
  },
}

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const withId = z.object({ id: z.string() })

describe.each(Object.entries(resources))('every field of the input: %s', (_, resource) => {
  const { create, change, get, expand, fields } = resource
  const names = fieldsIn(bodyOf(create, resource.form))
  let id = ''
  const shown: Record<string, unknown> = {}

  async function expectShown(name: string, value: unknown): Promise<void> {
    const show = fields[name]?.shown
    Object.assign(shown, show ? show(value as never) : { [name]: value })
    const reply = await call(get, id, { expand })
    expect(reply.body).toMatchObject(shown)
  }

  it('each input field has a test value, even if it is inside an object or a list', () => {
    expect(Object.keys(fields).toSorted()).toEqual(names.toSorted())
    const body = Object.fromEntries(names.map((name) => [name, fields[name]?.created]))
    expect(missing(bodyOf(create, resource.form), body)).toEqual([])
    if (change)
      for (const [name, schema] of Object.entries(shapeOf(bodyOf(change))))
        expect(missing(schema, fields[name]?.changed, name)).toEqual([])
  })

  it('each input field is stored by the call that creates the record', async () => {
    const body = Object.fromEntries(names.map((name) => [name, fields[name]?.created]))
    const reply = await call(create, '', { body, expand })
    expect(reply).toMatchObject({ status: create.status })
    id = withId.parse(reply.body).id
    for (const name of names) await expectShown(name, fields[name]?.created)
  })

  if (change)
    it.each(fieldsIn(bodyOf(change)))('is stored by the PATCH call that changes it: %s', async (name) => {
      const value = fields[name]?.changed
      expect(await call(change, id, { body: { [name]: value } })).toMatchObject({ status: change.status })
      await expectShown(name, value)
    })
})

it('the tests of input fields cover every PATCH call that has a body', () => {
  const all: readonly Route[] = Object.values(routes)
  const changes = all.filter(({ method, body }) => method === 'PATCH' && body !== undefined)
  expect(Object.values(resources).flatMap((resource) => resource.change ?? [])).toEqual(
    expect.arrayContaining(changes),
  )
})

function call(
  route: Route,
  id: string,
  { body, expand = '' }: { body?: unknown; expand?: string | undefined },
): Promise<Reply> {
  return server.call(route.path.replace(':id', id), {
    method: route.method,
    expand,
    ...(body !== undefined && { body }),
  })
}

function bodyOf({ body }: Route, form = 0): z.ZodType {
  if (body === undefined) throw new Error('The route has no body')
  return body instanceof z.ZodUnion ? (body.options[form] as z.ZodType) : body
}

/**
 * Returns the schema of a value without null and undefined. If the value has several forms, returns the schema of the
 * first form.
 */
function bare(schema: unknown): unknown {
  if (schema instanceof z.ZodUnion) return bare(schema.options[0])
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return bare(schema.unwrap())
  return schema instanceof z.ZodPipe ? bare(schema.out) : schema
}

/** Returns the fields that a client may send in an object. Empty for a schema that is no object. */
function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  const object = bare(schema)
  if (!(object instanceof z.ZodObject)) return {}
  const sendable = Object.entries(object.shape).filter(([, part]) => !(bare(part) instanceof z.ZodNever))
  return Object.fromEntries(sendable)
}

function fieldsIn(schema: unknown): string[] {
  return Object.keys(shapeOf(schema))
}

/** Returns the paths of the fields that are in the schema but not in the value. */
function missing(schema: unknown, value: unknown, path = ''): string[] {
  if (value === undefined) return [path]
  const inner = bare(schema)
  if (inner instanceof z.ZodArray)
    return (value as unknown[]).flatMap((each, index) => missing(inner.element, each, `${path}.${index}`))
  const sent = value as Record<string, unknown>
  return Object.entries(shapeOf(inner)).flatMap(([name, part]) =>
    missing(part, sent[name], `${path}.${name}`),
  )
}
