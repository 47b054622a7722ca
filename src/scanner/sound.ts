/** The four outcomes that have a sound, in the order in which the help lists them. */
export const soundNames = ['done', 'look', 'stop', 'decide'] as const
export type Sound = (typeof soundNames)[number]

interface Tone {
  readonly hertz: number
  /** The frequency at the end of the tone in hertz, if it changes. */
  readonly toHertz?: number
  readonly startMs: number
  readonly lengthMs: number
  readonly shape: OscillatorType
  readonly volume: number
}

/** The sounds differ in rhythm and direction as well as in pitch, because pitch is hard to hear next to a conveyor. */
const tones: Record<Sound, readonly Tone[]> = {
  done: [{ hertz: 1760, startMs: 0, lengthMs: 90, shape: 'sine', volume: 0.5 }],
  look: [
    { hertz: 988, startMs: 0, lengthMs: 110, shape: 'triangle', volume: 0.6 },
    { hertz: 740, startMs: 150, lengthMs: 160, shape: 'triangle', volume: 0.6 },
  ],
  stop: [{ hertz: 150, startMs: 0, lengthMs: 450, shape: 'sawtooth', volume: 0.5 }],
  decide: [{ hertz: 440, toHertz: 1320, startMs: 0, lengthMs: 420, shape: 'triangle', volume: 0.6 }],
}

/** Synthesizes the sounds, so that no sound file has to load before the first scan. */
export class SoundPlayer {
  #context: AudioContext | null = null

  /** Never throws and never waits, because scanning must also work on a machine without a loudspeaker. */
  play(sound: Sound): void {
    try {
      this.#context ??= new AudioContext({ latencyHint: 'interactive' })
      const context = this.#context
      if (context.state === 'suspended') void context.resume().catch(() => undefined)
      for (const tone of tones[sound]) schedule(context, tone)
    } catch {
      this.#context = null
    }
  }
}

function schedule(context: AudioContext, tone: Tone): void {
  const start = context.currentTime + tone.startMs / 1000
  const end = start + tone.lengthMs / 1000
  const oscillator = context.createOscillator()
  const gain = context.createGain()
  oscillator.type = tone.shape
  oscillator.frequency.setValueAtTime(tone.hertz, start)
  if (tone.toHertz !== undefined) oscillator.frequency.exponentialRampToValueAtTime(tone.toHertz, end)
  // the tone fades in and out, because a sudden start or end would click
  gain.gain.setValueAtTime(0, start)
  gain.gain.linearRampToValueAtTime(tone.volume, start + 0.008)
  gain.gain.setValueAtTime(tone.volume, end - 0.02)
  gain.gain.linearRampToValueAtTime(0, end)
  oscillator.connect(gain).connect(context.destination)
  oscillator.start(start)
  oscillator.stop(end)
}
