/** What fills the middle of the window. */
export type Place =
  | { readonly kind: 'stage' }
  | { readonly kind: 'modification' }
  | { readonly kind: 'labels' }
  | { readonly kind: 'label_form' }
  | { readonly kind: 'locations' }
  | { readonly kind: 'queue' }
  | { readonly kind: 'prints' }
  | { readonly kind: 'search' }
  | { readonly kind: 'expiring' }
  | { readonly kind: 'catalogue' }
  | { readonly kind: 'storage' }
  | { readonly kind: 'sheets' }

/** Where the operator is. What was begun in a place stays there: leaving keeps it. */
export class Places {
  #now = $state.raw<Place>({ kind: 'stage' })

  get now(): Place {
    return this.#now
  }

  go(place: Place): void {
    this.#now = place
  }
}
