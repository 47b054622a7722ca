/**
 * The result of a scan or of an action of the operator. Each outcome has a shape on the screen, and each outcome except
 * `none` also has a sound. `none`: there is no result yet.
 */
export type Outcome = 'done' | 'look' | 'stop' | 'decide' | 'none'
