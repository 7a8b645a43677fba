"""Muon for the matrices inside blocks, AdamW for everything else, stepped as one."""

import torch

# Five Newton-Schulz steps towards the nearest orthogonal matrix: (a, b, c) of a x + b x^3 + c x^5.
NEWTON_SCHULZ = [
    (4.0848, -6.8946, 2.9270),
    (3.9505, -6.3029, 2.6377),
    (3.7418, -5.5913, 2.3037),
    (2.8769, -3.1427, 1.2046),
    (2.8366, -3.0525, 1.2012),
]


def orthogonalised(matrices, steps):
    """The near-orthogonal parts of a stack of matrices that are no taller than wide."""
    x = matrices / (matrices.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for a, b, c in NEWTON_SCHULZ[-steps:]:
        gram = x @ x.mT
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return x


class Muon(torch.optim.Optimizer):
    """Momentum whose update is made orthogonal, matrices of one shape together."""

    def __init__(self, params, lr, momentum=0.95, steps=4):
        super().__init__(params, {"lr": lr, "momentum": momentum, "steps": steps})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_shape = {}
            for weight in group["params"]:
                if weight.grad is not None:
                    update = self._update(weight, group["momentum"])
                    tall = update.shape[0] > update.shape[1]
                    flat = update.T if tall else update
                    by_shape.setdefault(flat.shape, []).append((weight, flat, tall))
            for items in by_shape.values():
                self._apply(items, group)

    def _update(self, weight, momentum):
        state = self.state[weight]
        average = state.setdefault("momentum", torch.zeros_like(weight))
        average.lerp_(weight.grad, 1 - momentum)
        return weight.grad.lerp(average, momentum)

    def _apply(self, items, group):
        directions = orthogonalised(torch.stack([flat for _, flat, _ in items]), group["steps"])
        for (weight, _, tall), direction in zip(items, directions):
            scale = max(1.0, weight.shape[0] / weight.shape[1]) ** 0.5
            weight.add_(direction.T if tall else direction, alpha=-group["lr"] * scale)


class Optimisers:
    """Both optimisers of a model, stepped together."""

    def __init__(self, model, muon_lr, adam_lr):
        named = list(model.named_parameters())
        inner = [w for name, w in named if w.ndim == 2 and ".blocks." in name]
        self.rest = [w for name, w in named if not (w.ndim == 2 and ".blocks." in name)]
        self.parts = [
            (Muon(inner, muon_lr), muon_lr),
            (torch.optim.AdamW(self.rest, adam_lr, betas=(0.9, 0.98), weight_decay=0), adam_lr),
        ]

    def step(self, factor):
        """One step at `factor` of the full learning rates, gradients cleared after it."""
        torch.nn.utils.clip_grad_norm_(self.rest, 1.0)
        for optimiser, rate in self.parts:
            for group in optimiser.param_groups:
                group["lr"] = rate * factor
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
