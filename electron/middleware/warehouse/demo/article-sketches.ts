import type { Random } from './random.ts'
import {
  fashionColours,
  fashionLongTails,
  fashionModels,
  garments,
  sizeRuns,
  type Garment,
} from './vocabulary/fashion.ts'
import { outdoorLines, outdoorLongTails, outdoorModels, type OutdoorLine } from './vocabulary/outdoor.ts'

/** One article before it has ids: its name, and the variants it could have, likeliest first. */
export interface ArticleSketch {
  readonly name: string
  readonly short: string
  readonly hsTariffCode: string
  readonly weightGrams: number
  readonly price: readonly [number, number]
  readonly expirable: boolean
  readonly usingSerialNumbers: boolean
  readonly options: readonly { readonly name: string; readonly code: string }[]
}

/** Every so many articles one has a name that runs on for a hundred characters and more. */
const longNameEvery = 18

function longName(random: Random, name: string, tails: readonly string[], index: number): string {
  return index % longNameEvery === longNameEvery - 1 ? `${name} ${random.pick(tails)}` : name
}

function garmentOptions(random: Random, garment: Garment): ArticleSketch['options'] {
  const colours = random.shuffled(fashionColours).slice(0, garment.sizes === 'one' ? 4 : random.int(1, 3))
  return colours.flatMap(([colour, colourCode]) =>
    sizeRuns[garment.sizes].map((size) => ({
      name: [colour, size].filter((part) => part !== '').join(', '),
      code: [colourCode, size.replaceAll(' ', '')].filter((part) => part !== '').join('-'),
    })),
  )
}

/** `count` articles of the fashion shop, no two of the same name. */
export function fashionSketches(random: Random, count: number): ArticleSketch[] {
  const pairs = garments.flatMap((garment) => fashionModels.map((model) => ({ garment, model })))
  return random
    .shuffled(pairs)
    .slice(0, count)
    .map(({ garment, model }, index) => ({
      ...garment,
      name: longName(random, `${garment.name} ${model}`, fashionLongTails, index),
      expirable: false,
      usingSerialNumbers: false,
      options: garmentOptions(random, garment),
    }))
}

function lineOptions(random: Random, line: OutdoorLine): ArticleSketch['options'] {
  return random.shuffled(line.options).map(([name, code]) => ({ name, code }))
}

/** `count` articles of the outdoor shop, no two of the same name. */
export function outdoorSketches(random: Random, count: number): ArticleSketch[] {
  const pairs = outdoorLines.flatMap((line) => outdoorModels.map((model) => ({ line, model })))
  return random
    .shuffled(pairs)
    .slice(0, count)
    .map(({ line, model }, index) => ({
      ...line,
      name: longName(random, `${model} ${line.name}`, outdoorLongTails, index),
      expirable: line.expirable ?? false,
      usingSerialNumbers: line.usingSerialNumbers ?? false,
      options: lineOptions(random, line),
    }))
}
