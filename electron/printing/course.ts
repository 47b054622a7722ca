import type { PrintOutcome } from '#desk/ports/printers.ts'
import { failure } from '#shared/errors/catalogue.ts'

/** How a job went, before it has the printer's name on it. */
export type Course =
  | { readonly kind: 'refused' | 'partial' | 'unconfirmed'; readonly cause: string }
  | { readonly kind: 'sent' | 'spooled' }
  | { readonly kind: 'confirmed'; readonly evidence: string }

export function outcomeOf(course: Course, printer: string): PrintOutcome {
  switch (course.kind) {
    case 'sent':
    case 'spooled':
      return { kind: course.kind }
    case 'confirmed':
      return { ...course, file: null }
    case 'refused':
      return { kind: 'refused', failure: failure('printer.refused', { printer, cause: course.cause }) }
    case 'partial':
    case 'unconfirmed': {
      const { kind, cause } = course
      return { kind, failure: failure('printer.outcome_unknown', { printer, cause }) }
    }
  }
}
