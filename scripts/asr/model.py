"""The Whisper architecture in small, with the names and shapes of whisper.cpp's file format.

Differences from Whisper are all in training: the vocabulary is compact (see `vocab`), padding to a
long audio context is imitated by a few weighted positions instead of hundreds, and a character head
gives the encoder a loss of its own, which the export leaves out.
"""

import math

import torch
from torch import nn
from torch.nn import functional

import vocab

MELS = 80
AUDIO_CTX = 1500
TEXT_CTX = 448
HEAD_DIM = 64
ENCODER_LAYERS = 4
# With exactly 2, whisper.cpp takes the model for a distilled one and turns its time stamps off.
DECODER_LAYERS = 3
STATE = 192
# Relative positions (in 20 ms) that the encoder's heads start out looking at, by layer and head.
HEAD_OFFSETS = [[-3, 0, 3], [-6, 0, 6], [-12, 0, 12], [0, -5, None]]
# A decoder position starts out looking 9 encoder positions on: about 5.5 tokens a second.
FIRST_LOOK, LOOK_STEP = 7.5, 9.0


def sinusoids(positions, state):
    """Whisper's position table: sines then cosines, shape [positions, state]."""
    step = math.log(10000) / (state // 2 - 1)
    angles = positions[:, None] * torch.exp(-step * torch.arange(state // 2))[None]
    return torch.cat([angles.sin(), angles.cos()], 1)


class Attention(nn.Module):
    """Multi-head attention; with `keep` set it keeps its weights, for the guiding loss."""

    def __init__(self, state):
        super().__init__()
        self.heads = state // HEAD_DIM
        self.keep = False
        self.weights = None
        self.query = nn.Linear(state, state)
        self.key = nn.Linear(state, state, bias=False)
        self.value = nn.Linear(state, state)
        self.out = nn.Linear(state, state)

    def split(self, values):
        """[batch, time, state] to [batch, head, time, 64]."""
        return values.view(len(values), -1, self.heads, HEAD_DIM).transpose(1, 2)

    def forward(self, x, source=None, mask=None, causal=False):
        source = x if source is None else source
        query, key = self.split(self.query(x)), self.split(self.key(source))
        value = self.split(self.value(source))
        if self.keep:
            scores = query @ key.transpose(-1, -2) * HEAD_DIM**-0.5
            weights = (scores if mask is None else scores + mask).softmax(-1)
            self.weights = weights.mean(1)
            mixed = weights @ value
        else:
            mixed = functional.scaled_dot_product_attention(
                query, key, value, attn_mask=mask, is_causal=causal
            )
        return self.out(mixed.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    """One pre-norm transformer block, with cross attention in the decoder."""

    def __init__(self, state, cross):
        super().__init__()
        self.attn = Attention(state)
        self.attn_ln = nn.LayerNorm(state)
        if cross:
            self.cross_attn = Attention(state)
            self.cross_attn_ln = nn.LayerNorm(state)
        self.mlp = nn.Sequential(
            nn.Linear(state, 4 * state), nn.GELU(approximate="tanh"), nn.Linear(4 * state, state)
        )
        self.mlp_ln = nn.LayerNorm(state)

    def forward(self, x, audio=None, mask=None):
        """Encoder form without `audio` (masked by `mask`); with it causal, the audio masked."""
        if audio is None:
            x = x + self.attn(self.attn_ln(x), mask=mask)
        else:
            x = x + self.attn(self.attn_ln(x), causal=True)
            x = x + self.cross_attn(self.cross_attn_ln(x), audio, mask=mask)
        return x + self.mlp(self.mlp_ln(x))


class Encoder(nn.Module):
    """Log-mel [batch, frames, 80] to states [batch, frames / 2 (+ padding positions), state]."""

    def __init__(self, state):
        super().__init__()
        self.conv1 = nn.Conv1d(MELS, state, 3, padding=1)
        self.conv2 = nn.Conv1d(state, state, 3, stride=2, padding=1)
        self.register_buffer("positional_embedding", sinusoids(torch.arange(AUDIO_CTX), state))
        self.blocks = nn.ModuleList(Block(state, cross=False) for _ in range(ENCODER_LAYERS))
        self.ln_post = nn.LayerNorm(state)

    def forward(self, mel, context=None, stand_ins=0):
        """States, number of true positions and key mask.

        With `context`, the padding up to that many positions is imitated by `stand_ins` positions
        drawn from it, whose keys are weighted by the number they stand for. The last frames of
        `mel` must be padding.
        """
        x = functional.gelu(self.conv1(mel.transpose(1, 2)), approximate="tanh")
        x = functional.gelu(self.conv2(x), approximate="tanh").transpose(1, 2)
        true, positions, mask = x.shape[1], self.positional_embedding[: x.shape[1]], None
        if context is not None and context - true > 2 * stand_ins:
            padding = x[:, -2:-1]
            x = torch.cat([x[:, :-1], padding, padding.expand(-1, stand_ins, -1)], 1)
            drawn = (torch.arange(stand_ins) + torch.rand(stand_ins)) * (context - true) / stand_ins
            places = (true + drawn.long()).clamp(max=context - 1)
            positions = torch.cat([positions, self.positional_embedding[places]])
            mask = torch.zeros(1, 1, 1, true + stand_ins)
            mask[..., true:] = math.log((context - true) / stand_ins)
        x = x + positions
        for block in self.blocks:
            x = block(x, mask=mask)
        return self.ln_post(x), true, mask


class Decoder(nn.Module):
    """Compact token ids and audio states to text states, which `logits` scores."""

    def __init__(self, state):
        super().__init__()
        self.token_embedding = nn.Embedding(len(vocab.USED) + 1, state)
        self.positional_embedding = nn.Parameter(torch.zeros(TEXT_CTX, state))
        self.blocks = nn.ModuleList(Block(state, cross=True) for _ in range(DECODER_LAYERS))
        self.ln = nn.LayerNorm(state)
        # The one row for all unused tokens counts as often as there are such tokens.
        unused = math.log(vocab.TOKENS_TOTAL - len(vocab.USED))
        self.register_buffer(
            "row_bias",
            torch.cat([torch.zeros(len(vocab.USED)), torch.tensor([unused])]),
            persistent=False,
        )

    def forward(self, tokens, audio, mask=None):
        x = self.token_embedding(tokens) + self.positional_embedding[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, audio, mask)
        return self.ln(x)

    def logits(self, x):
        """Scores over the compact vocabulary."""
        return x @ self.token_embedding.weight.T + self.row_bias


class Tiny(nn.Module):
    """Encoder, decoder and the character head that only training uses."""

    def __init__(self, state=STATE):
        super().__init__()
        self.encoder = Encoder(state)
        self.decoder = Decoder(state)
        self.ctc = nn.Linear(state, len(vocab.CHARACTERS))
        with torch.no_grad():
            self._initialise(state)

    def _initialise(self, state):
        for name, weight in self.named_parameters():
            if weight.ndim == 2 and ("attn" in name or "mlp" in name):
                gain = 0.35 if name.endswith(("out.weight", "mlp.2.weight")) else 0.8
                nn.init.normal_(weight, std=gain * weight.shape[1] ** -0.5)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)
        decoder = self.decoder
        nn.init.normal_(decoder.token_embedding.weight, std=0.05)
        nn.init.normal_(decoder.ln.bias, std=0.1)
        decoder.token_embedding.weight[vocab.UNUSED_ROW] = -4 * decoder.ln.bias
        looks = FIRST_LOOK + LOOK_STEP * torch.arange(float(TEXT_CTX))
        decoder.positional_embedding.copy_(0.05 * sinusoids(looks, state))
        for layer, block in enumerate(self.encoder.blocks):
            for head in range(min(3, block.attn.heads)):
                if HEAD_OFFSETS[layer][head] is not None:
                    look_at_offset(block.attn, head, HEAD_OFFSETS[layer][head], state)
        for layer, block in enumerate(decoder.blocks):
            for head in range(block.cross_attn.heads if layer == 0 else 1):
                look_along(block.cross_attn, head, state)
        identity_at_start(decoder.blocks[-1])


def look_at_offset(attention, head, offset, state, bands=HEAD_DIM // 2):
    """Starts a head looking `offset` positions away: sinusoids matched with themselves, rotated."""
    turn = offset * torch.exp(-math.log(10000) / (state // 2 - 1) * torch.arange(bands))
    band, half = torch.arange(bands), state // 2
    query, key = torch.zeros(HEAD_DIM, state), torch.zeros(HEAD_DIM, state)
    query[band, band] = query[bands + band, half + band] = 1
    key[band, band] = key[bands + band, half + band] = turn.cos()
    key[band, half + band] = turn.sin()
    key[bands + band, band] = -turn.sin()
    set_head(attention, head, query, key)


def look_along(attention, head, state, bands=HEAD_DIM // 2, first_band=24):
    """Starts a cross-attention head on the diagonal, by the slow bands of both positions."""
    band, half = torch.arange(bands), state // 2
    match = torch.zeros(HEAD_DIM, state)
    match[band, first_band + band] = match[bands + band, half + first_band + band] = 1.3
    set_head(attention, head, match, match)


def set_head(attention, head, query, key):
    """Sets a head's query and key matrices, with a little noise."""
    rows = slice(head * HEAD_DIM, (head + 1) * HEAD_DIM)
    attention.query.weight[rows] = query + 0.02 * torch.randn_like(query)
    attention.key.weight[rows] = key + 0.02 * torch.randn_like(key)


def identity_at_start(block):
    """Makes a block pass its input through, so that it joins in only as it learns."""
    for linear in (block.attn.out, block.cross_attn.out, block.mlp[2]):
        nn.init.zeros_(linear.weight)
        nn.init.zeros_(linear.bias)
