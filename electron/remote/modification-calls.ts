import type { ApiPort } from '#desk/ports/api.ts'
import { modification } from '#shared/wire/modification.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Caller } from './caller.ts'
import { rowPage } from './row-page.ts'

type ModificationCalls = Pick<ApiPort, 'listModifications' | 'getModification' | 'createModification'>

const page = rowPage(modification)

/** Stock modifications (api.md, Modifications). */
export function modificationCalls(call: Caller): ModificationCalls {
  return {
    listModifications: (access, query) =>
      call(routes.listModifications, page(query.limit), {
        access,
        query: { ...query, sort: 'createdAt', direction: 'desc' },
      }),
    getModification: (access, id) =>
      call(routes.getModification, routes.getModification.response, {
        access,
        id,
        expand: 'modification_lines',
      }),
    createModification: (access, body) =>
      call(routes.createModification, routes.createModification.response, { access, body }),
  }
}
