// Runs beside the page in the audio thread: collects a tenth of a second of the microphone, as
// samples of 16 bits, with its loudness.

class Capture extends AudioWorkletProcessor {
  #piece = new Int16Array(Math.round(sampleRate / 10));

  #filled = 0;

  #squares = 0;

  process([[channel]]) {
    for (const sample of channel ?? []) {
      const clipped = Math.max(-1, Math.min(1, sample));
      this.#piece[this.#filled] = clipped * 32767;
      this.#squares += clipped * clipped;
      this.#filled += 1;
      if (this.#filled === this.#piece.length) this.#send();
    }
    return true;
  }

  #send() {
    const loudness = Math.sqrt(this.#squares / this.#filled);
    this.port.postMessage({ pcm: this.#piece.buffer, loudness }, [this.#piece.buffer]);
    this.#piece = new Int16Array(Math.round(sampleRate / 10));
    this.#filled = 0;
    this.#squares = 0;
  }
}

registerProcessor("capture", Capture);
