"""Frames for a spectrogram: the signal is reflected at both ends, so that frames are centred."""

from __future__ import annotations

import numpy as np

import dmlc

RATE = 16_000
FRAME = 512
HOP = 128

seconds = np.arange(RATE) / RATE
tone = np.sin(2 * np.pi * 440 * seconds).astype(np.float32)

# Half a frame on each side is mirrored, on the first and on the last sample.
frames = dmlc.frames(tone, FRAME, HOP)
assert frames.flags.c_contiguous
assert frames.shape == (1 + tone.size // HOP, FRAME)

# The same by hand: a padded copy, overlapping views of it, and a packed copy of these.
centred = np.pad(tone, FRAME // 2, "reflect")
overlapping = np.lib.stride_tricks.sliding_window_view(centred, FRAME)[::HOP]
assert np.array_equal(frames, overlapping)

spectrum = np.abs(np.fft.rfft(frames * np.hanning(FRAME), axis=1))
peaks = spectrum.argmax(axis=1) * RATE / FRAME
print(f"{tone.size} samples -> {frames.shape[0]} frames of {FRAME}, one every {HOP} samples")
print(f"the first frame peaks at {peaks[0]:.0f} Hz, the median frame at {np.median(peaks):.0f} Hz")
assert abs(np.median(peaks) - 440) <= RATE / FRAME
