import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LocationView } from '#shared/bridge/stock-views.ts'
import { locationsAtOnce } from '#shared/domain/locations.ts'
import { ok, type Result } from '#shared/errors/result.ts'

/**
 * Reads all locations that the desk knows, in the order of their codes; locations without a code are last. Makes one
 * call for each `locationsAtOnce` locations, so that main has time for scans and prints between the calls. A location
 * whose code is set or changed during the reading can be missing until the next reading; none is returned twice.
 */
export async function readLocations(
  location: Pick<ScandeskBridge['location'], 'list'>,
): Promise<Result<readonly LocationView[]>> {
  const found = new Map<string, LocationView>()
  for (let after: LocationView | null = null; ;) {
    const page: Result<LocationView[]> = await location.list({
      after: after && { id: after.id, code: after.code },
    })
    if (!page.ok) return page
    for (const each of page.value) found.set(each.id, each)
    const last = page.value.at(-1)
    if (!last || page.value.length < locationsAtOnce) return ok([...found.values()])
    after = last
  }
}
