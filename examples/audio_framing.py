"""Audio frames for a spectrogram
==============================

A spectrogram takes the Fourier transform of many short, overlapping frames of a signal. Frames are
centred on their samples, so that the first and the last need samples from beyond the signal: these
are mirrored. ``dmlc.frames`` writes all frames in one pass; the padded signal never exists.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import dmlc

RATE = 16_000
FRAME = 512
HOP = 128

# A second of a made-up sound, which rises from 440 to 1760 Hz.
seconds = np.arange(RATE) / RATE
rising = np.sin(2 * np.pi * (440 * seconds + 660 * seconds**2)).astype(np.float32)

# %%
# Half a frame on each side is mirrored, on the first and on the last sample.

frames = dmlc.frames(rising, FRAME, HOP)
assert frames.flags.c_contiguous
assert frames.shape == (1 + rising.size // HOP, FRAME)
print(
    f"{rising.size} samples -> {frames.shape[0]} frames of {FRAME}, one every {HOP} samples"
)

# %%
# The same by hand: a padded copy, overlapping views of it, and a packed copy of these.

centred = np.pad(rising, FRAME // 2, "reflect")
overlapping = np.lib.stride_tricks.sliding_window_view(centred, FRAME)[::HOP]
assert np.array_equal(frames, overlapping)

# %%
# The frames are ready for the transform.

spectrum = np.abs(np.fft.rfft(frames * np.hanning(FRAME), axis=1))
peaks = spectrum.argmax(axis=1) * RATE / FRAME
wanted = 440 + 1320 * np.arange(len(frames)) * HOP / RATE
print(f"the peak rises from {peaks[2]:.0f} to {peaks[-3]:.0f} Hz")
assert abs(peaks - wanted)[2:-2].max() <= 2 * RATE / FRAME

# %%
# The picture: the first frames as they stand on the signal, mirrored before its beginning, and the
# spectrogram.

figure, (above, below) = plt.subplots(2, 1, figsize=(7.5, 5.5), layout="constrained")
for i, frame in enumerate(frames[:5]):
    samples = np.arange(FRAME) + i * HOP - FRAME // 2
    inside = samples >= 0
    (line,) = above.plot(samples[inside], frame[inside] - 2.5 * i)
    above.plot(
        samples[~inside],
        frame[~inside] - 2.5 * i,
        color=line.get_color(),
        linestyle=":",
    )
above.axvline(0, color="gray", linewidth=1)
above.set(yticks=[-2.5 * i for i in range(5)], yticklabels=range(5), xlabel="sample")
above.set(ylabel="frame", title="the first frames; what is mirrored is dotted")
below.imshow(20 * np.log10(spectrum.T + 1e-3), origin="lower", aspect="auto", vmin=-40)
below.set_ylim(0, 3000 * FRAME / RATE)
ticks = np.arange(0, 3001, 500)
below.set(yticks=ticks * FRAME / RATE, yticklabels=ticks, ylabel="Hz", xlabel="frame")
below.set_title("the spectrogram")
plt.show()
