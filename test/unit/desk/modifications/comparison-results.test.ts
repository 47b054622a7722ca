import { beforeEach, describe, expect, it } from 'vitest'
import { ComparisonResults } from '#desk/modifications/comparison-results.ts'

const most = 20_000
const hourMs = 3600_000
let ticks: number
let results: ComparisonResults
/** Adds this number of new comparison results to the check of the booking with this id. */
const addTo = (id: string, count: number): void => {
  const from = sizeOf(id)
  for (let number = from; number < from + count; number++) results.add(id, `hash ${number}`)
}
const sizeOf = (id: string): number => results.differentFrom(id).size

beforeEach(() => {
  ticks = 0
  results = new ComparisonResults(() => ticks)
})

describe('ComparisonResults, if its memory is full', () => {
  it('drops the results of the check that began last, to make space for results of checks that began earlier', () => {
    for (const id of ['first', 'second', 'third']) addTo(id, id === 'first' ? most - 200 : 100)
    addTo('fourth', 50)
    addTo('third', 50)
    expect(['first', 'second', 'third', 'fourth'].map(sizeOf)).toEqual([most - 200, 100, 100, 0])
    addTo('first', 50)
    expect(['first', 'second', 'third'].map(sizeOf)).toEqual([most - 150, 100, 0])
    addTo('third', 50)
    expect(['first', 'second', 'third'].map(sizeOf)).toEqual([most - 150, 100, 50])
  })

  it('drops the results of the checks that have ended', () => {
    addTo('first', most - 100)
    addTo('second', 100)
    results.ended('first')
    addTo('third', 50)
    expect(['first', 'second', 'third'].map(sizeOf)).toEqual([0, 100, 50])
  })

  it('keeps the results of an ended check that has begun again', () => {
    addTo('first', most - 101)
    results.ended('first')
    addTo('first', 1)
    addTo('second', 100)
    addTo('third', 50)
    expect(['first', 'second', 'third'].map(sizeOf)).toEqual([most - 100, 100, 0])
  })

  it('drops the results of a check that did not continue for an hour', () => {
    addTo('first', most)
    ticks += hourMs
    addTo('second', 50)
    expect(['first', 'second'].map(sizeOf)).toEqual([most, 0])
    ticks++
    addTo('second', 50)
    expect(['first', 'second'].map(sizeOf)).toEqual([0, 50])
  })

  it('counts each result once', () => {
    addTo('first', most - 100)
    for (let time = 0; time < 3; time++)
      for (let number = 0; number < 100; number++) results.add('second', `hash ${number}`)
    results.ended('first')
    addTo('third', 1)
    addTo('fourth', most - 101)
    expect(['first', 'second', 'third', 'fourth'].map(sizeOf)).toEqual([0, 100, 1, most - 101])
  })
})
