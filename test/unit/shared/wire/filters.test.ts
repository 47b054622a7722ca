import { expect, describe, it } from 'vitest'
import { z } from 'zod'
import type { Route } from '#shared/wire/routes.ts'
import { servedRoutes } from '#shared/wire/warehouse-routes.ts'

/** The query fields of all routes that accept any text, with the name of their route. */
const filters = Object.entries<Route<string>>(servedRoutes).flatMap(([route, { query }]) =>
  query instanceof z.ZodObject
    ? Object.entries<z.ZodType>(query.shape)
        .filter(([, schema]) => schema.safeParse('x').data === 'x')
        .map(([field, schema]) => ({ route, field, schema }))
    : [],
)

describe('a filter of a list', () => {
  it('ignores blanks around its text in each list, because codes and references are stored without them', () => {
    const kept = filters.filter(({ schema }) => schema.safeParse(' x\t').data !== 'x')
    // the words of a search are compared one by one
    expect(kept.map(({ route, field }) => `${route} ${field}`)).toEqual(['listStock search'])
    expect(filters.length).toBeGreaterThan(20)
  })
})
