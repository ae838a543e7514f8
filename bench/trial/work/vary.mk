PARTS := $(shell seq 8)
all: $(PARTS)
$(PARTS):
	@i=$@; while [ $$i -le $(N) ]; do echo "$@ made $$((i * i + (i == 7) * $(WRONG)))"; i=$$((i + 8)); done; echo "$@ by $$$$"
