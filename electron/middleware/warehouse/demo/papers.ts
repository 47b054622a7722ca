import type { WorldPaper } from '../world.ts'
import type { Random } from './random.ts'
import { makeTextPage } from './text-page.ts'

/** A paper as a PDF of one page that says `lines`. */
export function makePaper(
  random: Random,
  sketch: Pick<WorldPaper, 'title' | 'documentType' | 'createdAt'> & { readonly lines: readonly string[] },
): WorldPaper {
  const { title, documentType, createdAt, lines } = sketch
  return {
    id: random.uuid(),
    title,
    mimeType: 'application/pdf',
    documentType,
    content: makeTextPage([title, ...lines]),
    createdAt,
  }
}
