// An express app that serves the same list of variants as the middleware, with the same login check, the same
// statements and the same bytes, but without the other protections of the middleware. Argument: the database file.
import { createHash } from 'node:crypto'
import BetterSqlite from 'better-sqlite3'
import express from 'express'
import { jwtVerify } from 'jose'

const database = new BetterSqlite(process.argv[2])
database.pragma('busy_timeout = 5000')
const secret = new TextEncoder().encode(
  database.prepare("select value from meta where key = 'jwt_secret'").pluck().get(),
)
const wmsCode = database.prepare("select value from meta where key = 'wms_code'").pluck().get()
const loggedIn = database.prepare(`select users.id, users.roles, user_customers.customer_id from logins
  join users on users.id = logins.user_id left join user_customers on user_customers.user_id = users.id
  where logins.hash = ?`)

const statements = new Map()
/** Returns the prepared statement of an SQL text. Each text is prepared only once. */
function prepared(text) {
  let statement = statements.get(text)
  if (statement === undefined) statements.set(text, (statement = database.prepare(text)))
  return statement
}

const marks = (values) => values.map(() => '?').join(', ')
const refuse = (response, status, error) => void response.status(status).json({ error })
const isoTime = (stored) => `${stored.slice(0, 19)}+00:00`

async function authenticate(request, response, next) {
  if (request.get('x-wms-code')?.toLowerCase() !== wmsCode.toLowerCase())
    return refuse(response, 400, 'Invalid WMS.')
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '') ?? []
  let claims
  try {
    const verified = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      requiredClaims: ['iat', 'exp'],
    })
    claims = verified.payload
  } catch {
    return refuse(response, 401, 'Invalid JWT Token')
  }
  const rows = loggedIn.all(createHash('sha256').update(claims.sid).digest('hex'))
  if (rows[0]?.id !== claims.user_id) return refuse(response, 401, 'Invalid JWT Token')
  const ids = rows.flatMap(({ customer_id: id }) => id ?? []).filter((id) => claims.customer_ids.includes(id))
  const code = request.get('x-customer-code')?.trim().toLowerCase()
  const customer = prepared(`select * from customers where id in (${marks(ids)}) order by id`)
    .all(ids)
    .find((candidate) => candidate.code.toLowerCase() === code)
  if (customer === undefined) return refuse(response, 403, 'No access to this customer.')
  const held = JSON.parse(rows[0].roles)
  if (!claims.roles.includes('ROLE_MIDDLEWARE_ARTICLES_READ') || !held.includes('ARTICLES_READ'))
    return refuse(response, 403, 'Missing role.')
  request.customer = customer
  next()
}

const ids = prepared(`select id from variants where customer_id = ? and deleted_at is null
  order by name, id limit ? offset ?`).pluck()

const app = express()
app.disable('x-powered-by')
// no ETag, because the middleware sends none either
app.disable('etag')
app.get('/wms/variants/', authenticate, (request, response) => {
  const limit = Number(request.query.limit ?? 50)
  const page = Math.max(1, Number(request.query.page ?? 1))
  const wanted = ids.all(request.customer.id, limit, (page - 1) * limit)
  const found = new Map(
    prepared(`select * from variants where id in (${marks(wanted)})`)
      .all(wanted)
      .map((row) => [row.id, row]),
  )
  response.json(
    wanted.map((id) => {
      const row = found.get(id)
      return {
        id: row.id,
        article_code: row.article_code,
        name: row.name,
        description: row.description,
        ean: row.ean,
        sku: row.sku,
        hs_tariff_code: row.hs_tariff_code,
        height: row.height,
        depth: row.depth,
        width: row.width,
        weight: row.weight,
        expirable: row.expirable === 1,
        country_of_origin: row.country_of_origin,
        using_serial_numbers: row.using_serial_numbers === 1,
        value: row.value,
        created_at: isoTime(row.created_at),
        modified_at: isoTime(row.modified_at),
      }
    }),
  )
})
const server = app.listen(0, '127.0.0.1', () => process.send(server.address().port))
