/** What became of a scan or an action; each has one shape and one sound. `none`: not decided yet. */
export type Outcome = 'done' | 'look' | 'stop' | 'decide' | 'none'
