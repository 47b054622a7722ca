import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { systemClock } from '#kit/clock.ts'
import { createLogger } from '#kit/logger.ts'
import { senderAddress } from '#shared/wire/address.ts'
import { article } from '#shared/wire/article.ts'
import { tokens } from '#shared/wire/auth.ts'
import { batch } from '#shared/wire/batch.ts'
import { variantBundle } from '#shared/wire/bundle.ts'
import { customer } from '#shared/wire/customer.ts'
import { document } from '#shared/wire/document.ts'
import { errorBody } from '#shared/wire/error-body.ts'
import { inbound, inboundDetail, qualityControl } from '#shared/wire/inbound.ts'
import { locationType } from '#shared/wire/location-type.ts'
import { modification } from '#shared/wire/modification.ts'
import { order, orderDocument } from '#shared/wire/order.ts'
import { returnLabel } from '#shared/wire/return-label.ts'
import { shipment, shipmentLine, shipmentReturnLabel, trackingInformation } from '#shared/wire/shipment.ts'
import { shippingMethod } from '#shared/wire/shipping-method.ts'
import { transfer } from '#shared/wire/transfer.ts'
import { stock } from '#shared/wire/stock.ts'
import { variant } from '#shared/wire/variant.ts'
import { workItem } from '#shared/wire/warehouse.ts'
import { servedRoutes } from '#shared/wire/warehouse-routes.ts'
import { createMiddleware } from './app.ts'

/** Returns the OpenAPI 3.1 document of the current server, as text that is the same on every machine. */
export async function openApiDocument(): Promise<string> {
  const app = await createMiddleware({
    databaseFile: ':memory:',
    world: null,
    sandbox: true,
    clock: systemClock,
    logger: createLogger('openapi'),
    beforeRoutes: describeApi,
  })
  try {
    return `${JSON.stringify(app.swagger(), withoutInputs, 2)}\n`
  } finally {
    await app.close()
  }
}

/**
 * Leaves out the schemas whose names end in `Input`: the library lists each named schema a second time under such a
 * name, but nothing in the document refers to it.
 */
function withoutInputs(key: string, value: unknown): unknown {
  return key.endsWith('Input') ? undefined : value
}

/** Names under which schemas are shared in the document. */
const named = {
  Tokens: tokens,
  Customer: customer,
  ShippingMethod: shippingMethod,
  Shipment: shipment,
  ShipmentLine: shipmentLine,
  TrackingInformation: trackingInformation,
  SenderAddress: senderAddress,
  ReturnLabel: returnLabel,
  ShipmentReturnLabel: shipmentReturnLabel,
  Article: article,
  Variant: variant,
  Batch: batch,
  VariantBundle: variantBundle,
  Inbound: inbound,
  InboundDetail: inboundDetail,
  QualityControl: qualityControl,
  Transfer: transfer,
  LocationType: locationType,
  Modification: modification,
  Document: document,
  Order: order,
  OrderDocument: orderDocument,
  Stock: stock,
  WorkItem: workItem,
  Error: errorBody,
}

/** Records the routes that are added from now on, so that `app.swagger()` describes them as OpenAPI 3.1. */
async function describeApi(app: FastifyInstance): Promise<void> {
  const schemaRegistry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) schemaRegistry.add(schema, { id })
  const toJsonSchema = createJsonSchemaTransform({ schemaRegistry })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Warehouse Fulfilment Middleware API',
        version: '1',
        description:
          'Every path is served with and without its trailing slash. In a POST, null counts as left out in every field.',
      },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          wms: { type: 'apiKey', in: 'header', name: 'X-Wms-Code' },
          customer: { type: 'apiKey', in: 'header', name: 'X-Customer-Code' },
        },
      },
    },
    transform: (described) => {
      const { schema, url } = toJsonSchema(described)
      const { route } = described
      return { schema: { ...schema, ...operation(route), ...headersOf(route) }, url }
    },
    transformObject: createJsonSchemaTransformObject({ schemaRegistry }),
  })
}

/** Returns the name of an operation, as in the route table. */
function operation(route: RouteOptions): { operationId?: string } {
  const found = Object.entries(servedRoutes).find(
    ([, { method, path }]) => method === route.method && path === route.url,
  )
  return found === undefined ? {} : { operationId: found[0] }
}

/** Returns the required and optional headers of a call, except the headers that the security of the call describes. */
function headersOf({ config }: RouteOptions): { headers?: Record<string, unknown> } {
  const { expand = [], isKeyed = false } = config ?? {}
  if (isKeyed) {
    const key = {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Sent again with the same call it returns the first answer, for 30 days, and changes nothing.',
    }
    return {
      headers: { type: 'object', properties: { 'Idempotency-Key': key }, required: ['Idempotency-Key'] },
    }
  }
  if (expand.length === 0) return {}
  const description = `Comma-separated groups: ${expand.join(', ')}`
  return { headers: { type: 'object', properties: { Expand: { type: 'string', description } } } }
}
